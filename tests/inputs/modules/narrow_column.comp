// A column of bytes that is stored into a byte of each word: no lane has a neighbour in the word, so none is asked for it.
// test: subgroup
// test: buffers u8:1024 random:64
#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_8bit_storage : require
layout(local_size_x = 32, local_size_x_id = 0) in;
layout(binding = 0) readonly buffer Bytes { uint8_t bytes[]; };
layout(binding = 1) buffer Result { uint dst[]; };
const int ROW = gl_CooperativeMatrixLayoutRowMajor;

void main() {
    coopmat<uint8_t, gl_ScopeSubgroup, 32, 1, gl_MatrixUseAccumulator> column;
    coopMatLoad(column, bytes, 0, 1, ROW);
    coopMatStore(column, dst, 8, 1, ROW);
}
