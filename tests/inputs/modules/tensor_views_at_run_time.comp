// Views of tensors whose clips are known at run time only, from any offset; tensors of three dimensions, of which a
// matrix has rows of one, or of two; views with dimensions of their own, which are those of the span, or others.
// test: buffers f16:16384 zero:16384
// test: push 40 48 1
#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_NV_cooperative_matrix2 : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer Source { float16_t src[]; };
layout(binding = 1) buffer Result { float dst[]; };
layout(push_constant) uniform Push { uint rows, columns, one; };
#define C coopmat<float, gl_ScopeWorkgroup, 16, 16, gl_MatrixUseAccumulator>
#define H coopmat<float16_t, gl_ScopeWorkgroup, 16, 16, gl_MatrixUseAccumulator>

void store(H m, uint n) {
    tensorLayoutNV<2> to = createTensorLayoutNV(2);
    to = setTensorLayoutDimensionNV(to, 1024, 16);
    coopMatStoreTensorNV(C(m), dst, 0, sliceTensorLayoutNV(to, 16 * n, 16, 0, 16));
}

void main() {
    tensorLayoutNV<2, gl_CooperativeMatrixClampModeConstantNV> plane =
        createTensorLayoutNV(2, gl_CooperativeMatrixClampModeConstantNV);
    plane = setTensorLayoutDimensionNV(plane, rows, columns);
    tensorViewNV<2, false, 0, 1> view = createTensorViewNV(2, false, 0, 1);
    for (uint n = 0; n < 9; ++n) {
        H m = H(float16_t(n));
        view = setTensorViewClipNV(view, n % 3 * one, 16, n / 3 * one, 17);
        coopMatLoadTensorNV(m, src, 0, sliceTensorLayoutNV(plane, 3, 20, 2, 16), view);
        store(m, n);
    }
    tensorLayoutNV<3> space = createTensorLayoutNV(3);
    space = setTensorLayoutDimensionNV(space, 8, 20, 24);
    for (uint n = 0; n < 3; ++n) {
        H alone, two;
        coopMatLoadTensorNV(alone, src, 0, sliceTensorLayoutNV(space, n + one, 1, 2, 16, 5, 16));
        coopMatLoadTensorNV(two, src, 0, sliceTensorLayoutNV(space, n, 2, 2 * one, 8, 5, 16));
        store(alone, 9 + n);
        store(two, 12 + n);
    }
    tensorViewNV<3, true, 0, 1, 2> own = createTensorViewNV(3, true, 0, 1, 2);
    tensorViewNV<3, false, 1, 0, 2> turned = createTensorViewNV(3, false, 1, 0, 2);
    for (uint n = 1; n < 3; ++n) {
        H m, other, last;
        own = setTensorViewDimensionsNV(own, one, 16, 16);
        own = setTensorViewStrideNV(own, 480, 24 * n, 1);
        coopMatLoadTensorNV(m, src, 0, sliceTensorLayoutNV(space, 0, 1, 0, 16, 4, 16), own);
        own = setTensorViewDimensionsNV(own, 2 * one, 8, 16);
        coopMatLoadTensorNV(other, src, 0, sliceTensorLayoutNV(space, 1, 1, 0, 16, 4, 16), own);
        coopMatLoadTensorNV(last, src, 0, sliceTensorLayoutNV(space, n, 4, 0, 4, 4, 16), turned);
        store(m, 13 + 2 * n);
        store(other, 14 + 2 * n);
        store(last, 17 + 2 * n);
    }
}
