// Products of large matrices that are loaded by tensor addresses: columns and rows of B in packs, of bytes and of f16,
// and stores of f16 in packs. A lane of a CPU has more of them than code without loops.
// test: subgroup
// test: buffers u8:8192 f16:8192 random:2048 f16:4096
// test: push 48 32
#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_NV_cooperative_matrix2 : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
layout(local_size_x = 32, local_size_x_id = 0) in;
layout(binding = 0) readonly buffer Bytes { uint8_t bytes[]; };
layout(binding = 1) readonly buffer Halves { float16_t halves[]; };
layout(binding = 2) buffer Sums { uint sums[]; };
layout(binding = 3) buffer Result { float16_t result[]; };
layout(push_constant) uniform Push { uint depth, width; };
#define A(T) coopmat<T, gl_ScopeSubgroup, 32, 48, gl_MatrixUseA>
#define B(T) coopmat<T, gl_ScopeSubgroup, 48, 32, gl_MatrixUseB>
#define C(T) coopmat<T, gl_ScopeSubgroup, 32, 32, gl_MatrixUseAccumulator>

// Rows of `columns` elements.
tensorLayoutNV<2> lines(uint rows, uint columns) {
    tensorLayoutNV<2> layout2 = createTensorLayoutNV(2);
    layout2 = setTensorLayoutDimensionNV(layout2, rows, columns);
    return sliceTensorLayoutNV(layout2, 0, rows, 0, columns);
}

void main() {
    tensorViewNV<2, false, 1, 0> across = createTensorViewNV(2, false, 1, 0);
    A(uint8_t) a;
    B(uint8_t) b;
    coopMatLoadTensorNV(a, bytes, 0, lines(32, depth));
    coopMatLoadTensorNV(b, bytes, 2048, lines(width, depth), across);
    coopMatStore(coopMatMulAdd(a, b, C(uint)(0)), sums, 0, 32, gl_CooperativeMatrixLayoutRowMajor);
    coopMatLoadTensorNV(b, bytes, 2048, lines(depth, width));
    coopMatStoreTensorNV(coopMatMulAdd(a, b, C(uint)(0)), sums, 1024, lines(32, width));
    A(float16_t) x;
    B(float16_t) y;
    coopMatLoadTensorNV(x, halves, 0, lines(32, depth));
    coopMatLoadTensorNV(y, halves, 2048, lines(width, depth), across);
    coopMatStoreTensorNV(C(float16_t)(coopMatMulAdd(x, y, C(float)(0))), result, 0, lines(32, width));
    coopMatLoadTensorNV(y, halves, 2048, lines(depth, width));
    coopMatStoreTensorNV(C(float16_t)(coopMatMulAdd(x, y, C(float)(0))), result, 1024, lines(width, 32), across);
}
