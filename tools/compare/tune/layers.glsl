// SPDX-License-Identifier: Apache-2.0
//
// Each invocation sends a vector of WIDTH half floats through four equal layers of a network, with
// limits that keep every number whole and small.
#extension GL_NV_cooperative_vector : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_explicit_arithmetic_types : require

layout(local_size_x = 128) in;
layout(binding = 0) readonly buffer A { float16_t weights[]; };
layout(binding = 1) readonly buffer B { float16_t inputs[]; };  // of 61 invocations
layout(binding = 2) writeonly buffer C { float c[]; };
layout(push_constant) uniform P { uint size; };

#define VECTOR coopvecNV<float16_t, WIDTH>

void main() {
    VECTOR x, y;
    coopVecLoadNV(x, inputs, gl_GlobalInvocationID.x % 61 * WIDTH * 2);
    for (int layer = 0; layer < 4; ++layer) {
        coopVecMatMulNV(y, x, gl_ComponentTypeFloat16NV, weights, 0, gl_ComponentTypeFloat16NV,
                        WIDTH, WIDTH, gl_CooperativeVectorMatrixLayoutRowMajorNV, false, WIDTH * 2);
        x = clamp(y, VECTOR(float16_t(-3)), VECTOR(float16_t(3)));
    }
    float sum = 0;
    [[unroll]] for (int i = 0; i < WIDTH; ++i) sum += float(y[i]) * float(i % 7 + 1);
    c[gl_GlobalInvocationID.x] = sum;
}
