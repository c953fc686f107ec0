// SPDX-License-Identifier: Apache-2.0
//
// C[size,size] = A[size,256] * B[256,size], row-major, of f16 with sums of type SUM. A workgroup is 4
// subgroups, which make 64 x 64 elements of C; tiles of A and B go through shared memory.
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_explicit_arithmetic_types : require

const uint kDepth = 256, kGroup = 64, kStep = 32;
const uint kStrideA = kStep / 2 + 4, kStrideB = kGroup / 2 + 4;  // in pairs

layout(local_size_x_id = 0) in;  // 4 times the subgroup size
layout(binding = 0) readonly buffer A { uvec4 a8[]; };
layout(binding = 1) readonly buffer B { uvec4 b8[]; };
layout(binding = 2) writeonly buffer C { SUM c[]; };
layout(push_constant) uniform P { uint size; };
shared f16vec2 tileA[kGroup * kStrideA], tileB[kStep * kStrideB];

#define COPY8(tile, at, value)                   \
    tile[(at) + 0] = unpackFloat2x16((value).x); \
    tile[(at) + 1] = unpackFloat2x16((value).y); \
    tile[(at) + 2] = unpackFloat2x16((value).z); \
    tile[(at) + 3] = unpackFloat2x16((value).w)

void stage(uint row, uint column, uint k) {
    const uint parts = kGroup * kStep / 8, threads = gl_WorkGroupSize.x;
    for (uint part = gl_LocalInvocationIndex; part < parts; part += threads) {
        const uint r = part / (kStep / 8), w = part % (kStep / 8);
        const uvec4 value = a8[((row + r) * kDepth + k) / 8 + w];
        COPY8(tileA, r * kStrideA + w * 4, value);
    }
    for (uint part = gl_LocalInvocationIndex; part < parts; part += threads) {
        const uint r = part / (kGroup / 8), w = part % (kGroup / 8);
        const uvec4 value = b8[((k + r) * size + column) / 8 + w];
        COPY8(tileB, r * kStrideB + w * 4, value);
    }
}

void main() {
    const uint row = gl_WorkGroupID.y * kGroup, column = gl_WorkGroupID.x * kGroup;
    const uint below = gl_SubgroupID / 2 * 32, beside = gl_SubgroupID % 2 * 32;
    coopmat<SUM, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> sums[2][2];
    [[unroll]] for (int i = 0; i < 4; ++i)
        sums[i / 2][i % 2] =
            coopmat<SUM, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator>(0.0);
    for (uint k = 0; k < kDepth; k += kStep) {
        stage(row, column, k);
        barrier();
        [[unroll]] for (uint kk = 0; kk < kStep; kk += 16) {
            coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA> x[2];
            [[unroll]] for (int i = 0; i < 2; ++i)
                coopMatLoad(x[i], tileA, (below + i * 16) * kStrideA + kk / 2, kStrideA,
                            gl_CooperativeMatrixLayoutRowMajor);
            [[unroll]] for (int j = 0; j < 2; ++j) {
                coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseB> y;
                coopMatLoad(y, tileB, kk * kStrideB + (beside + j * 16) / 2, kStrideB,
                            gl_CooperativeMatrixLayoutRowMajor);
                [[unroll]] for (int i = 0; i < 2; ++i)
                    sums[i][j] = coopMatMulAdd(x[i], y, sums[i][j]);
            }
        }
        barrier();
    }
    [[unroll]] for (int i = 0; i < 4; ++i)
        coopMatStore(sums[i / 2][i % 2], c,
                     (row + below + i / 2 * 16) * size + column + beside + i % 2 * 16, size,
                     gl_CooperativeMatrixLayoutRowMajor);
}
