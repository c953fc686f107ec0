// Sums in f16 and in f32 in one buffer, as Slang's gradients have them.
#version 460
#extension GL_NV_cooperative_vector : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 32) in;
layout(binding = 0) buffer Sums { uint sums[]; };
layout(binding = 1) readonly buffer Halves { float16_t halves[]; };
void main() {
    coopvecNV<float16_t, 16> x;
    coopVecLoadNV(x, halves, 32 * gl_LocalInvocationIndex);
    coopVecReduceSumAccumulateNV(x, sums, 0);
    coopvecNV<float, 16> y = coopvecNV<float, 16>(x);
    coopVecReduceSumAccumulateNV(y, sums, 16384);
}
