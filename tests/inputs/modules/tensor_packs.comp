// Matrices of use B, of bytes and of f16, that are loaded and stored by tensor addresses along columns and along rows, of
// which their packs have one direction; and an f16 accumulator that is stored in packs. A lane of a CPU has more of B
// than code without loops.
// test: subgroup
// test: buffers u8:4096 f16:4096 random:640 random:1280 random:1280 random:640
// test: push 32 40
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
layout(binding = 2) buffer ByteCopies { uint8_t byteCopies[]; };
layout(binding = 3) buffer HalfCopies { float16_t halfCopies[]; };
layout(binding = 4) buffer Sums { uint sums[]; };
layout(binding = 5) buffer HalfSums { float16_t halfSums[]; };
layout(push_constant) uniform Push { uint depth, width; };
#define A(T) coopmat<T, gl_ScopeSubgroup, 16, 32, gl_MatrixUseA>
#define B(T) coopmat<T, gl_ScopeSubgroup, 32, 40, gl_MatrixUseB>
#define C(T) coopmat<T, gl_ScopeSubgroup, 16, 40, gl_MatrixUseAccumulator>

// Rows of `columns` elements.
tensorLayoutNV<2> lines(uint rows, uint columns) {
    tensorLayoutNV<2> all = setTensorLayoutDimensionNV(createTensorLayoutNV(2), rows, columns);
    return sliceTensorLayoutNV(all, 0, rows, 0, columns);
}

void main() {
    tensorViewNV<2, false, 1, 0> across = createTensorViewNV(2, false, 1, 0);
    A(uint8_t) a;
    B(uint8_t) columns, rows;
    coopMatLoadTensorNV(a, bytes, 0, lines(16, depth));
    coopMatLoadTensorNV(columns, bytes, 1024, lines(width, depth), across);
    coopMatStoreTensorNV(columns, byteCopies, 0, lines(depth, width));
    coopMatLoadTensorNV(rows, bytes, 1024, lines(depth, width));
    coopMatStoreTensorNV(rows, byteCopies, 1280, lines(width, depth), across);
    coopMatStoreTensorNV(coopMatMulAdd(a, columns, C(uint)(0)), sums, 0, lines(16, width));

    A(float16_t) x;
    B(float16_t) columnsOfHalves, rowsOfHalves;
    coopMatLoadTensorNV(x, halves, 0, lines(16, depth));
    coopMatLoadTensorNV(columnsOfHalves, halves, 1024, lines(width, depth), across);
    coopMatStoreTensorNV(columnsOfHalves, halfCopies, 0, lines(depth, width));
    coopMatLoadTensorNV(rowsOfHalves, halves, 1024, lines(depth, width));
    coopMatStoreTensorNV(rowsOfHalves, halfCopies, 1280, lines(width, depth), across);
    C(float16_t) sum = C(float16_t)(coopMatMulAdd(x, columnsOfHalves, C(float)(0)));
    coopMatStoreTensorNV(sum, halfSums, 0, lines(16, width));
    coopMatStoreTensorNV(sum, halfSums, 640, lines(width, 16), across);
}
