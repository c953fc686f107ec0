// Sizes of matrices, arrays and the workgroup from specialization constants, also through operations on them.
// test: subgroup
// test: spec 5=1
#version 460
#pragma use_vulkan_memory_model
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_scalar_block_layout : require
layout(local_size_x_id = 0, local_size_y_id = 5) in;
layout(constant_id = 4) const uint M = 16; layout(constant_id = 1) const uint N = 16; layout(constant_id = 2) const bool T = true;
const uint K = T ? M : N * 2; const uvec2 D = uvec2(M, N);
layout(binding = 0, scalar) readonly buffer I { int8_t h[]; } i;
layout(binding = 1, scalar) buffer O { int f[]; } o;
shared uint tmp[M * 8 + D.y];
#define MA coopmat<int8_t, gl_ScopeSubgroup, M, K, gl_MatrixUseA>
void main() {
    MA a; coopmat<int8_t, gl_ScopeSubgroup, K, N, gl_MatrixUseB> b;
    coopMatLoad(a, i.h, 0, K, int(T)); coopMatLoad(b, i.h, 0, N, 0);
    coopmat<int, gl_ScopeSubgroup, M, N, gl_MatrixUseAccumulator> c = coopmat<int, gl_ScopeSubgroup, M, N, gl_MatrixUseAccumulator>(int(D.y));
    int v[8]; for (uint k = 0; k < a.length() && k < 8; ++k) v[k] = int(a[k]);
    c = coopMatMulAdd(a, b, c, gl_MatrixOperandsSaturatingAccumulation);
    tmp[gl_LocalInvocationIndex] = uint(v[0]);
    coopMatStore(c, o.f, tmp[gl_LocalInvocationIndex] * 0, N, 0);
}
