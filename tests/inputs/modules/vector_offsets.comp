// Offsets and strides that are no multiples of 16, as Vulkan requires: by constants, and by the number of the invocation.
// test: buffers f16:4096 f16:2048 random:4096 f16:1024
#version 460
#extension GL_NV_cooperative_vector : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer Weights { uint header; float16_t weights[]; };
layout(binding = 1) readonly buffer Inputs { float16_t inputs[]; };
layout(binding = 2) buffer Results { float16_t results[]; };
layout(binding = 3) buffer Sums { float16_t sums[]; };
layout(constant_id = 0) const uint kPad = 2;

shared float16_t row[64];

#define V coopvecNV<float16_t, 12>
#define W coopvecNV<float16_t, 16>
void main() {
    uint me = gl_LocalInvocationIndex;
    for (uint i = me; i < 64; i += 32) row[i] = inputs[i];
    barrier();
    V x, y, z;
    coopVecLoadNV(x, inputs, me * 24);
    coopVecLoadNV(y, inputs, 4 + 8 * kPad);
    coopVecLoadNV(z, row, kPad);
    x = x + y * z;
    W rows, columns, biased, optimal;
    // Behind the header, and of lines of 26 bytes.
    coopVecMatMulNV(rows, x, gl_ComponentTypeFloat16NV, weights, 0, gl_ComponentTypeFloat16NV, 16, 12,
                    gl_CooperativeVectorMatrixLayoutRowMajorNV, false, 24 + kPad);
    coopVecMatMulNV(columns, x, gl_ComponentTypeFloat16NV, weights, 60, gl_ComponentTypeFloat16NV, 16, 12,
                    gl_CooperativeVectorMatrixLayoutColumnMajorNV, false, 36);
    coopVecMatMulAddNV(biased, x, gl_ComponentTypeFloat16NV, weights, 8, gl_ComponentTypeFloat16NV, inputs, 6,
                       gl_ComponentTypeFloat16NV, 16, 12, gl_CooperativeVectorMatrixLayoutRowMajorNV, false, 40);
    W sum = rows + columns + biased;
    coopVecStoreNV(sum, results, me * 36 + 2);
    coopVecReduceSumAccumulateNV(W(float16_t(0.5)), sums, 4);
}
