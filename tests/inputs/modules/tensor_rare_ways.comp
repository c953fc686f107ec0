// Loads and stores of tensors at places of which no two are adjacent in the fastest way: rows of an odd length, and
// clipped views. Each lane has more elements than code without loops.
// test: buffers f16:4096 zero:16384
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
#define C coopmat<float, gl_ScopeWorkgroup, 64, 64, gl_MatrixUseAccumulator>
#define H coopmat<float16_t, gl_ScopeWorkgroup, 64, 64, gl_MatrixUseAccumulator>

void main() {
    tensorLayoutNV<2, gl_CooperativeMatrixClampModeConstantNV> from =
        createTensorLayoutNV(2, gl_CooperativeMatrixClampModeConstantNV);
    from = setTensorLayoutDimensionNV(from, rows, columns);
    tensorLayoutNV<2, gl_CooperativeMatrixClampModeConstantNV> to = from;
    tensorViewNV<2, false, 0, 1> clipped = createTensorViewNV(2, false, 0, 1);
    clipped = setTensorViewClipNV(clipped, 1, 40, 2, 45);
    H inside = H(3.0), part = H(2.0);
    coopMatLoadTensorNV(inside, src, 0, sliceTensorLayoutNV(from, 3, 64, 2, 64));
    coopMatLoadTensorNV(part, src, 0, sliceTensorLayoutNV(from, 0, 64, 1, 64), clipped);
    coopMatStoreTensorNV(C(inside), dst, 0, sliceTensorLayoutNV(to, 0, 64, 0, 64));
    coopMatStoreTensorNV(C(part), dst, 4096, sliceTensorLayoutNV(to, 1, 64, 1, 64));
    coopMatStoreTensorNV(C(part), dst, 8192, sliceTensorLayoutNV(to, 0, 64, 3, 64), clipped);
}
