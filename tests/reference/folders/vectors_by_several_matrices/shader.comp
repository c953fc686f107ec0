// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_NV_cooperative_vector : require
#extension GL_KHR_memory_scope_semantics : require
layout(local_size_x = 4) in;
layout(set = 0, binding = 0) buffer In { float weights[]; };
layout(set = 0, binding = 1) buffer Out { float outputs[]; };

void main() {
    uint i = gl_LocalInvocationIndex;
    uint offset = i / 2 * 32, stride = i % 2 == 0 ? 8 : 16;
    coopvecNV<float, 2> v = coopvecNV<float, 2>(float(i)), product;
    v[1] = 1.0;
    coopVecMatMulNV(product, v, gl_ComponentTypeFloat32NV, weights, offset,
                    gl_ComponentTypeFloat32NV, 2, 2, gl_CooperativeVectorMatrixLayoutRowMajorNV,
                    false, stride);
    outputs[i * 2] = product[0];
    outputs[i * 2 + 1] = product[1];
}
