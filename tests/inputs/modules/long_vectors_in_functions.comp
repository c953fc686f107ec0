// The driver's long vectors in functions, and conversions between cooperative vectors.
#version 460
#extension GL_NV_cooperative_vector : require
#extension GL_EXT_long_vector : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_scalar_block_layout : require
layout(local_size_x = 32) in;
layout(binding = 0, scalar) readonly buffer W { float16_t w[]; } w;
layout(constant_id = 0) const uint N = 6;
layout(binding = 1, scalar) buffer X { float s[]; } x;
vector<float, N> f(vector<float, N> a) { return a * a + vector<float, N>(1.0); }
void main() {
    uint g = gl_GlobalInvocationID.x;
    vector<float, N> s = vector<float, N>(x.s[g]), v = f(s); vector<int, N> n = vector<int, N>(v); bool b = any(greaterThan(v, s));
    coopvecNV<float16_t, 8> c = coopvecNV<float16_t, 8>(float16_t(v[0])), d;
    coopVecMatMulNV(d, c, gl_ComponentTypeFloat16NV, w.w, 0, gl_ComponentTypeFloat16NV, 8, 8, gl_CooperativeVectorMatrixLayoutRowMajorNV, false, 16);
    coopvecNV<float, 8> e = coopvecNV<float, 8>(d); e = e * 2.0;
    v[g % N] = e[g & 7] + float(n[1]) + (b ? 1.0 : 0.0); s = clamp(v, vector<float, N>(0.0), vector<float, N>(1.0)); x.s[g] = s[0];
}
