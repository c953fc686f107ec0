// Matrices that are converted and stored to tensors: two stores that are alike, of f32 from f16, in runs; one of f16 from
// f32; and one of what is also added to. A branch changes the layout, which is in a variable.
// test: buffers f16:4096 zero:98304 zero:8192
// test: push 60 4096 8192
#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_NV_cooperative_matrix2 : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer Source { float16_t src[]; };
layout(binding = 1) buffer Result { float dst[]; };
layout(binding = 2) buffer Halves { float16_t halves[]; };
layout(push_constant) uniform Push { uint rows, first, second; };
#define C coopmat<float, gl_ScopeWorkgroup, 64, 64, gl_MatrixUseAccumulator>
#define H coopmat<float16_t, gl_ScopeWorkgroup, 64, 64, gl_MatrixUseAccumulator>

void main() {
    tensorLayoutNV<2, gl_CooperativeMatrixClampModeConstantNV> layouts =
        createTensorLayoutNV(2, gl_CooperativeMatrixClampModeConstantNV);
    layouts = setTensorLayoutDimensionNV(layouts, rows, 32);
    if (first > second) layouts = setTensorLayoutClampValueNV(layouts, 0x3c00);
    else layouts = setTensorLayoutDimensionNV(layouts, rows, 64);
    H m, other;
    coopMatLoadTensorNV(m, src, 0, sliceTensorLayoutNV(layouts, 0, 64, 0, 64));
    coopMatLoadTensorNV(other, src, 0, sliceTensorLayoutNV(layouts, 5, 64, 0, 64));
    coopMatStoreTensorNV(C(m), dst, first, sliceTensorLayoutNV(layouts, 0, 64, 0, 64));
    coopMatStoreTensorNV(C(other), dst, second, sliceTensorLayoutNV(layouts, 1, 64, 0, 64));
    C both = C(m);
    coopMatStoreTensorNV(both, dst, second + first, sliceTensorLayoutNV(layouts, 2, 64, 4, 64));
    both = both + C(other);
    coopMatStoreTensorNV(both, dst, 0, sliceTensorLayoutNV(layouts, 0, 64, 0, 64));
    coopMatStoreTensorNV(H(both), halves, 0, sliceTensorLayoutNV(layouts, 3, 64, 0, 64));
}
