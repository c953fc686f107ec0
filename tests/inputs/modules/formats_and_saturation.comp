// bfloat16 and 8-bit floats, as matrices and as scalars; conversions that saturate.
// test: subgroup
#version 460
#pragma use_vulkan_memory_model
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_bfloat16 : require
#extension GL_EXT_float_e4m3 : require
layout(local_size_x = 64, local_size_x_id = 0) in;
layout(binding = 0, scalar) buffer I { bfloat16_t h[]; } i;
layout(binding = 1, scalar) buffer O { float f[]; } o;
layout(binding = 2, scalar) buffer E { floate4m3_t e[]; } e;
void main() {
    coopmat<bfloat16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA> a; coopmat<bfloat16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseB> b;
    coopMatLoad(a, i.h, 0, 16, 0); coopMatLoad(b, i.h, 0, 16, 0);
    coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> c = coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator>(0.0);
    c = coopMatMulAdd(a, b, c);
    coopmat<floate4m3_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA> q; saturatedConvertEXT(q, c);
    coopMatStore(q, e.e, 0, 16, 0); coopMatStore(c, o.f, 256, 16, 0);
    floate4m3_t s; saturatedConvertEXT(s, o.f[3]); e.e[512 + gl_LocalInvocationIndex] = s; i.h[512 + gl_LocalInvocationIndex] = bfloat16_t(o.f[4]);
}
