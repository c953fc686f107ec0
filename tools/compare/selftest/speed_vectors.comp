// SPDX-License-Identifier: Apache-2.0
// 2 * 32 * 32 operations in an iteration of each invocation.
#version 460
#extension GL_NV_cooperative_vector : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 128) in;
layout(binding = 0) readonly buffer A { float16_t a[]; };
layout(binding = 1) buffer C { float c[]; };
layout(push_constant) uniform P { uint iterations; };

void main() {
    coopvecNV<float16_t, 32> x = coopvecNV<float16_t, 32>(float16_t(gl_LocalInvocationIndex));
    for (uint i = 0u; i < iterations; ++i) {
        coopvecNV<float16_t, 32> y;
        coopVecMatMulNV(y, x, gl_ComponentTypeFloat16NV, a, 0, gl_ComponentTypeFloat16NV, 32, 32,
                        gl_CooperativeVectorMatrixLayoutRowMajorNV, false, 64);
        x = y;
    }
    c[gl_GlobalInvocationID.x] = float(x[0] + x[31]);
}
