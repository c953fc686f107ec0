// B of E4M3 in columns of shared memory that the shader reads otherwise, too: lanes that hold the
// same columns convert some each.
// test: subgroup
// test: buffers random:1024 zero:512
#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_EXT_float_e4m3 : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
layout(local_size_x = 32, local_size_x_id = 0) in;
layout(binding = 0) readonly buffer Source { uint source[]; };
layout(binding = 1) buffer Result { float result[]; };
shared uint words[256];
#define MATRIX(TYPE, M, N, USE) coopmat<TYPE, gl_ScopeSubgroup, M, N, gl_MatrixUse##USE>

void main() {
    // Without NaN.
    for (uint i = gl_LocalInvocationIndex; i < 256; i += gl_WorkGroupSize.x) words[i] = source[i] & 0xB7B7B7B7u;
    barrier();
    MATRIX(floate4m3_t, 16, 32, A) a;
    MATRIX(floate4m3_t, 32, 32, B) columns, rows;
    coopMatLoad(a, words, words[0] & 4u, 8, gl_CooperativeMatrixLayoutRowMajor);
    coopMatLoad(columns, words, 0, 8, gl_CooperativeMatrixLayoutColumnMajor);
    coopMatLoad(rows, words, 0, 8, gl_CooperativeMatrixLayoutRowMajor);
    MATRIX(float, 16, 32, Accumulator) sums = MATRIX(float, 16, 32, Accumulator)(0.0);
    sums = coopMatMulAdd(a, columns, sums);
    sums = coopMatMulAdd(a, rows, sums);
    coopMatStore(sums, result, 0, 32, gl_CooperativeMatrixLayoutRowMajor);
}
