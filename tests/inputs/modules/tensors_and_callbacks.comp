// Tensor loads with a function that decodes, per-element calls and a reduction, in a loop.
#version 460
#pragma use_vulkan_memory_model
#extension GL_KHR_cooperative_matrix : require
#extension GL_NV_cooperative_matrix2 : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_buffer_reference : require
layout(local_size_x = 128) in;
layout(constant_id = 0) const uint BM = 32;
layout(binding = 0, scalar) readonly buffer I { float16_t h[]; } i;
layout(binding = 1, scalar) buffer O { float f[]; } o;
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Q { int q; };
float16_t decode(const in Q q, const in uint b[2], const in uint c[2]) { return float16_t(q.q * int(c[1])); }
float16_t relu(const in uint32_t r, const in uint32_t c, const in float16_t e) { return max(e, float16_t(r)); }
float maxOf(const in float x, const in float y) { return max(x, y); }
void main() {
    tensorLayoutNV<2> l = createTensorLayoutNV(2); l = setTensorLayoutDimensionNV(l, 64, 64); l = sliceTensorLayoutNV(l, 0, BM, 0, 32);
    coopmat<float16_t, gl_ScopeWorkgroup, BM, 32, gl_MatrixUseA> a;
    coopmat<float16_t, gl_ScopeWorkgroup, 32, 32, gl_MatrixUseB> b;
    coopmat<float, gl_ScopeWorkgroup, BM, 32, gl_MatrixUseAccumulator> c = coopmat<float, gl_ScopeWorkgroup, BM, 32, gl_MatrixUseAccumulator>(0.0), r;
    for (uint k = 0; k < 2; ++k) {
        coopMatLoadTensorNV(a, i.h, 0, sliceTensorLayoutNV(l, 0, BM, k * 32, 32));
        coopMatLoadTensorNV(b, i.h, 0, sliceTensorLayoutNV(l, k * 32, 32, 0, 32), decode);
        coopMatPerElementNV(a, a, relu);
        c = coopMatMulAdd(a, b, c);
    }
    coopMatReduceNV(r, c, gl_CooperativeMatrixReduceRowNV, maxOf);
    c = c - r;
    coopMatStoreTensorNV(c, o.f, 0, l);
}
