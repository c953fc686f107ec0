// SPDX-License-Identifier: Apache-2.0
//
// C[size,size] = A[size,256] * B[256,size], of FACTOR with sums of type SUM, straight from buffers. A
// is row-major, and B is if ROWS is 1, else column-major. A workgroup is 4 subgroups, which make
// 64 x 64 elements of C.
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_explicit_arithmetic_types : require

const uint kDepth = 256;

layout(local_size_x_id = 0) in;  // 4 times the subgroup size
layout(binding = 0) readonly buffer A { FACTOR a[]; };
layout(binding = 1) readonly buffer B { FACTOR b[]; };
layout(binding = 2) writeonly buffer C { SUM c[]; };
layout(push_constant) uniform P { uint size; };

void main() {
    const uint row = gl_WorkGroupID.y * 64 + gl_SubgroupID / 2 * 32;
    const uint column = gl_WorkGroupID.x * 64 + gl_SubgroupID % 2 * 32;
    coopmat<SUM, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> sums[2][2];
    [[unroll]] for (int i = 0; i < 4; ++i)
        sums[i / 2][i % 2] = coopmat<SUM, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator>(0);
    for (uint k = 0; k < kDepth; k += 16) {
        coopmat<FACTOR, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA> x[2];
        [[unroll]] for (int i = 0; i < 2; ++i)
            coopMatLoad(x[i], a, (row + i * 16) * kDepth + k, kDepth,
                        gl_CooperativeMatrixLayoutRowMajor);
        [[unroll]] for (int j = 0; j < 2; ++j) {
            coopmat<FACTOR, gl_ScopeSubgroup, 16, 16, gl_MatrixUseB> y;
#if ROWS
            coopMatLoad(y, b, k * size + column + j * 16, size, gl_CooperativeMatrixLayoutRowMajor);
#else
            coopMatLoad(y, b, (column + j * 16) * kDepth + k, kDepth,
                        gl_CooperativeMatrixLayoutColumnMajor);
#endif
            [[unroll]] for (int i = 0; i < 2; ++i)
                sums[i][j] = coopMatMulAdd(x[i], y, sums[i][j]);
        }
    }
    [[unroll]] for (int i = 0; i < 4; ++i)
        coopMatStore(sums[i / 2][i % 2], c, (row + i / 2 * 16) * size + column + i % 2 * 16, size,
                     gl_CooperativeMatrixLayoutRowMajor);
}
