// Matrices in structures and arrays, which functions take, change and return.
// test: subgroup
#version 460
#pragma use_vulkan_memory_model
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_scalar_block_layout : require
layout(local_size_x = 32, local_size_x_id = 0) in;
layout(binding = 0, scalar) readonly buffer I { float16_t h[]; } i;
layout(binding = 1, scalar) buffer O { float f[]; } o;
#define MA coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA>
#define MB coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseB>
#define MC coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator>
struct Pair { MA a; MB b; uint n; };
struct Sums { MC c[2]; };
Pair load(uint at) { Pair p; coopMatLoad(p.a, i.h, at, 16, 0); coopMatLoad(p.b, i.h, at + 256, 16, 1); p.n = at; return p; }
void add(inout Sums s, in Pair p, uint k) { s.c[k] = coopMatMulAdd(p.a, p.b, s.c[k]); }
void main() {
    Sums s; s.c[0] = MC(0.0); s.c[1] = MC(1.0);
    for (uint k = 0; k < 4; ++k) { Pair p = load(k * 512); add(s, p, k & 1); if (p.n == 7) break; }
    for (int e = 0; e < s.c[0].length(); ++e) { s.c[1][e] += s.c[0][e] * 2.0; }
    coopMatStore(s.c[1], o.f, 0, 16, 0);
}
