// Loads of two matrices that differ in their rows only, with the same layout and view: the view's clip covers the first,
// and a part of the second. No elements are adjacent in the fastest way, since rows have an odd length.
// test: buffers f16:4096 zero:8192
// test: push 50 61
#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_NV_cooperative_matrix2 : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer Source { float16_t src[]; };
layout(binding = 1) buffer Result { float dst[]; };
layout(push_constant) uniform Push { uint rows, columns; };
#define C(ROWS) coopmat<float, gl_ScopeWorkgroup, ROWS, 64, gl_MatrixUseAccumulator>
#define H(ROWS) coopmat<float16_t, gl_ScopeWorkgroup, ROWS, 64, gl_MatrixUseAccumulator>

void main() {
    tensorLayoutNV<2, gl_CooperativeMatrixClampModeConstantNV> layouts =
        createTensorLayoutNV(2, gl_CooperativeMatrixClampModeConstantNV);
    layouts = setTensorLayoutDimensionNV(layouts, rows, columns);
    tensorViewNV<2, false, 0, 1> clipped = createTensorViewNV(2, false, 0, 1);
    clipped = setTensorViewClipNV(clipped, 0, 16, 0, 64);
    H(16) whole = H(16)(2.0);
    H(64) part = H(64)(3.0);
    coopMatLoadTensorNV(whole, src, 0, sliceTensorLayoutNV(layouts, 3, 64, 2, 64), clipped);
    coopMatLoadTensorNV(part, src, 0, sliceTensorLayoutNV(layouts, 3, 64, 2, 64), clipped);
    coopMatStoreTensorNV(C(16)(whole), dst, 0, sliceTensorLayoutNV(layouts, 0, 16, 0, 64));
    coopMatStoreTensorNV(C(64)(part), dst, 4096, sliceTensorLayoutNV(layouts, 0, 64, 0, 64));
}
