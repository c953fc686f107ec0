// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) buffer Data { float16_t data[]; };

void main() {
    coopmat<float16_t, gl_ScopeSubgroup, 8, 8, gl_MatrixUseAccumulator> matrix;
    coopMatLoad(matrix, data, 0, 8, gl_CooperativeMatrixLayoutRowMajor);
    coopMatStore(matrix + matrix, data, 0, 8, gl_CooperativeMatrixLayoutRowMajor);
}
