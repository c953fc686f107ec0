// A product between the arrival at a barrier and the wait for it.
// test: buffers f16:4096 f32:4096
#version 460
#pragma use_vulkan_memory_model
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_split_barrier : require
#extension GL_KHR_shader_subgroup_basic : require
layout(local_size_x = 64) in;
layout(binding = 0, scalar) readonly buffer I { float16_t h[]; } i;
layout(binding = 1, scalar) buffer O { float f[]; } o;
shared float16_t t[512];
void main() {
    coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> c = coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator>(0.0);
    coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA> a; coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseB> b;
    for (uint k = 0; k < 8; ++k) {
        for (uint e = gl_LocalInvocationIndex; e < 512; e += 64) t[e] = i.h[k * 512 + e];
        barrier();
        coopMatLoad(a, t, 0, 16, 0); coopMatLoad(b, t, 256, 16, 0);
        controlBarrierArrive();
        c = coopMatMulAdd(a, b, c);
        controlBarrierWait();
    }
    coopMatStore(c, o.f, 256 * gl_SubgroupID, 16, 0);
}
