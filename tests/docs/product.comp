// SPDX-License-Identifier: Apache-2.0
// A product of M x K and K x N matrices of a workgroup, to measure how long a proof takes (docs/developers/proof.md).
#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_NV_cooperative_matrix2 : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 256) in;
layout(binding = 0) readonly buffer A { float16_t a[]; };
layout(binding = 1) readonly buffer B { float16_t b[]; };
layout(binding = 2) writeonly buffer C { float c[]; };
void main() {
    coopmat<float16_t, gl_ScopeWorkgroup, M, K, gl_MatrixUseA> x;
    coopmat<float16_t, gl_ScopeWorkgroup, K, N, gl_MatrixUseB> y;
    coopmat<float, gl_ScopeWorkgroup, M, N, gl_MatrixUseAccumulator> z =
        coopmat<float, gl_ScopeWorkgroup, M, N, gl_MatrixUseAccumulator>(0.0);
    coopMatLoad(x, a, 0, K, gl_CooperativeMatrixLayoutRowMajor);
    coopMatLoad(y, b, 0, N, gl_CooperativeMatrixLayoutRowMajor);
    z = coopMatMulAdd(x, y, z);
    coopMatStore(z, c, 0, N, gl_CooperativeMatrixLayoutRowMajor);
}
