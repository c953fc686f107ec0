// SPDX-License-Identifier: Apache-2.0
#version 450
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
layout(local_size_x = 8) in;
layout(binding = 0) buffer A { float a[]; };
layout(binding = 1) buffer B { float b[]; };
layout(binding = 2) buffer D { float d[]; };
void main() {
    coopmat<float, gl_ScopeSubgroup, 8, 8, gl_MatrixUseA> left;
    coopmat<float, gl_ScopeSubgroup, 8, 8, gl_MatrixUseB> right;
    coopMatLoad(left, a, 0, 8, gl_CooperativeMatrixLayoutRowMajor);
    coopMatLoad(right, b, 0, 8, gl_CooperativeMatrixLayoutRowMajor);
    coopmat<float, gl_ScopeSubgroup, 8, 8, gl_MatrixUseAccumulator> sum =
        coopmat<float, gl_ScopeSubgroup, 8, 8, gl_MatrixUseAccumulator>(1.0);
    sum = coopMatMulAdd(left, right, sum);
    coopMatStore(sum, d, 0, 8, gl_CooperativeMatrixLayoutRowMajor);
}
