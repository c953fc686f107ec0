// The driver's long vectors beside matrices.
// test: subgroup
#version 460
#pragma use_vulkan_memory_model
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_long_vector : require
layout(local_size_x = 32, local_size_x_id = 0) in;
layout(constant_id = 3) const uint L = 7;
layout(constant_id = 4) const uint W = 8;
layout(binding = 0, scalar) readonly buffer I { float16_t h[]; } i;
layout(binding = 1, scalar) buffer O { float f[]; } o;

void main() {
    vector<float, L> v = vector<float, L>(o.f[0]); v[gl_WorkGroupID.x & 3] = 2.0;
    vector<float, W> w = vector<float, W>(1.0); w[2] = dot(v, v);
    coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA> a; coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseB> b;
    coopMatLoad(a, i.h, 0, 16, 0); coopMatLoad(b, i.h, 0, 16, 0);
    coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> c = coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator>(w[2]);
    c = coopMatMulAdd(a, b, c); coopMatStore(c, o.f, 16, 16, 0);
}
