// Matrices whose lines end within a word of the memory to which they are stored: the rest of the word keeps its value.
// test: subgroup
// test: buffers u8:1024 f16:1024 random:512
// test: push 3 5
#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
layout(local_size_x = 32, local_size_x_id = 0) in;
layout(binding = 0) readonly buffer Bytes { uint8_t bytes[]; };
layout(binding = 1) readonly buffer Halves { float16_t halves[]; };
layout(binding = 2) buffer Result { uint dst[]; };
layout(push_constant) uniform Push { uint three, stride; };
#define M(T, ROWS, COLUMNS) coopmat<T, gl_ScopeSubgroup, ROWS, COLUMNS, gl_MatrixUseAccumulator>
const int ROW = gl_CooperativeMatrixLayoutRowMajor, COLUMN = gl_CooperativeMatrixLayoutColumnMajor;

void main() {
    M(uint8_t, 16, 2) two;
    coopMatLoad(two, bytes, 0, 2, ROW);
    coopMatStore(two, dst, 0, 1, ROW);
    coopMatStore(two, dst, 32, 8, COLUMN);
    M(uint8_t, 8, 6) six;
    coopMatLoad(six, bytes, 64, 6, ROW);
    coopMatStore(six, dst, 64, three, ROW);
    M(float16_t, 8, 5) five;
    coopMatLoad(five, halves, 0, 5, ROW);
    coopMatStore(five, dst, 128, stride, ROW);
    M(float16_t, 6, 8) column;
    coopMatLoad(column, halves, 64, 8, ROW);
    coopMatStore(column, dst, 192, stride, COLUMN);
    M(uint8_t, 5, 8) bytesOfColumns;
    coopMatLoad(bytesOfColumns, bytes, 256, 8, ROW);
    coopMatStore(bytesOfColumns, dst, 256, three, COLUMN);
}
