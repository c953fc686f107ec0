// SPV_NV_cooperative_matrix: matrices in a structure, which a function takes.
// test: subgroup
#version 460
#pragma use_vulkan_memory_model
#extension GL_NV_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
layout(local_size_x = 32, local_size_x_id = 0) in;
layout(binding = 0) buffer I { float16_t h[]; } i;
layout(binding = 1) buffer O { float f[]; } o;
struct S { fcoopmatNV<16, gl_ScopeSubgroup, 16, 16> m[2]; };
fcoopmatNV<32, gl_ScopeSubgroup, 16, 16> mul(S s, fcoopmatNV<32, gl_ScopeSubgroup, 16, 16> c) { return coopMatMulAddNV(s.m[0], s.m[1], c); }
void main() {
    S s; coopMatLoadNV(s.m[0], i.h, 0, 16, false); coopMatLoadNV(s.m[1], i.h, 0, 16, true);
    fcoopmatNV<32, gl_ScopeSubgroup, 16, 16> c = fcoopmatNV<32, gl_ScopeSubgroup, 16, 16>(0.0);
    for (int k = 0; k < 3; ++k) { c = mul(s, c); if (c.length() == 3) s.m[0] = s.m[1] * float16_t(2.0); }
    coopMatStoreNV(c, o.f, 0, 16, false);
}
