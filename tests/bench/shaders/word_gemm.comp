// SPDX-License-Identifier: Apache-2.0
//
// C[M,N] = A[M,K] * B[K,N] with 32-bit sums; A row by row, B column by column, C row by row. A
// workgroup is 8 subgroups, 4 below each other and 2 beside, and makes 128 x 128 elements of C, in
// steps of 64 components, or 32 of 16 bits, along K through shared memory. M and N are multiples of
// 128, K of 64.
//
// -D NIBBLES: A and B have signed 4-bit components, eight to a word; else of type COMPONENT with
// BITS bits: int8_t, or with -D SUM_COMPONENT=float a float of 8 or 16 bits.
#version 460
#pragma use_vulkan_memory_model
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_EXT_bfloat16 : require
#extension GL_EXT_float_e4m3 : require
#extension GL_EXT_float_e5m2 : require
#include "staging.glsl"

#ifdef NIBBLES
#define BITS 4
#endif
#ifndef SUM_COMPONENT
#define SUM_COMPONENT int
#endif
const uint kTileM = 16, kTileN = 16, kTileK = BITS == 16 ? 16 : 32;
const uint kPerWord = 32 / BITS;
#define SUM coopmat<SUM_COMPONENT, gl_ScopeSubgroup, kTileM, kTileN, gl_MatrixUseAccumulator>

#ifdef NIBBLES
#include "coopvk_int4.glsl"
#define MATRIX_A COOPVK_S4_MATRIX(kTileM, kTileK, coopvkUseA)
#define MATRIX_B COOPVK_S4_MATRIX(kTileK, kTileN, coopvkUseB)
COOPVK_INT4_MATRIX_FUNCTIONS(a, MATRIX_A, uint)
COOPVK_INT4_MATRIX_FUNCTIONS(b, MATRIX_B, uint)
COOPVK_INT4_MULTIPLY_ADD(product, MATRIX_A, MATRIX_B, SUM)
#define LOAD_A(at) aLoad(tileA[at], coopvkRowMajor, kStride, coopvkVisible, coopvkWorkgroup)
#define LOAD_B(at) bLoad(tileB[at], coopvkColumnMajor, kStride, coopvkVisible, coopvkWorkgroup)
#define MULTIPLY_ADD(a, b, c) product(a, b, c, 15u)
#else
#define MATRIX_A coopmat<COMPONENT, gl_ScopeSubgroup, kTileM, kTileK, gl_MatrixUseA>
#define MATRIX_B coopmat<COMPONENT, gl_ScopeSubgroup, kTileK, kTileN, gl_MatrixUseB>
#define LOAD_A(at) loadA(at)
#define LOAD_B(at) loadB(at)
#define MULTIPLY_ADD(a, b, c) coopMatMulAdd(a, b, c)
#endif

const uint kGroupM = 128, kGroupN = 128, kGroupK = BITS == 16 ? 32 : 64;
const uint kSubgroupM = 32, kSubgroupN = 64;
const uint kWords = kGroupK / kPerWord;  // of a tile's row
// The padding spreads rows over the banks of shared memory.
const uint kStride = kWords + 4;
const uint kTilesM = kSubgroupM / kTileM, kTilesN = kSubgroupN / kTileN;

layout(local_size_x_id = 0) in;  // 8 times the subgroup size
layout(set = 0, binding = 0) readonly buffer BufferA { uvec4 a4[]; };
layout(set = 0, binding = 1) readonly buffer BufferB { uvec4 b4[]; };
layout(set = 0, binding = 2) buffer BufferC { SUM_COMPONENT c[]; };
layout(push_constant) uniform Sizes { uint M, N, K; };

shared uint tileA[kGroupM * kStride];
shared uint tileB[kGroupN * kStride];

#ifndef NIBBLES
MATRIX_A loadA(uint at) {
    MATRIX_A a;
    coopMatLoad(a, tileA, at, kStride, gl_CooperativeMatrixLayoutRowMajor);
    return a;
}
MATRIX_B loadB(uint at) {
    MATRIX_B b;
    coopMatLoad(b, tileB, at, kStride, gl_CooperativeMatrixLayoutColumnMajor);
    return b;
}
#endif

// A part of the tile from a matrix whose rows have K components.
const uint kParts = kGroupM * kWords / 4;
#define COPY_PART(tile, source, first, k, part)                                         \
    const uint r = (part) / (kWords / 4), w = (part) % (kWords / 4);                    \
    const uvec4 v = source[(((first) + r) * K + (k)) / (kPerWord * 4) + w];             \
    const uint at = r * kStride + w * 4;                                                \
    tile[at] = v.x, tile[at + 1] = v.y, tile[at + 2] = v.z, tile[at + 3] = v.w
#define COPY(tile, source, first, k)                                                    \
    [[unroll]] for (uint i = 0; i < STAGING_STEPS(kParts, gl_WorkGroupSize.x); ++i) {   \
        const uint part = STAGING_PART(i, gl_LocalInvocationIndex, gl_WorkGroupSize.x); \
        if (STAGING_HAS(part, kParts, gl_WorkGroupSize.x)) {                            \
            COPY_PART(tile, source, first, k, part);                                    \
        }                                                                               \
    }

void main() {
    const uint row = gl_WorkGroupID.y * kGroupM, column = gl_WorkGroupID.x * kGroupN;
    const uint subgroupRow = gl_SubgroupID / (kGroupN / kSubgroupN) * kSubgroupM;
    const uint subgroupColumn = gl_SubgroupID % (kGroupN / kSubgroupN) * kSubgroupN;
    SUM sums[kTilesM][kTilesN];
    [[unroll]] for (uint i = 0; i < kTilesM; ++i)
        [[unroll]] for (uint j = 0; j < kTilesN; ++j) sums[i][j] = SUM(0);
    for (uint k = 0; k < K; k += kGroupK) {
        COPY(tileA, a4, row, k)
        COPY(tileB, b4, column, k)
        barrier();
        [[unroll]] for (uint kk = 0; kk < kGroupK; kk += kTileK) {
            MATRIX_A a[kTilesM];
            [[unroll]] for (uint i = 0; i < kTilesM; ++i)
                a[i] = LOAD_A((subgroupRow + i * kTileM) * kStride + kk / kPerWord);
            [[unroll]] for (uint j = 0; j < kTilesN; ++j) {
                MATRIX_B b = LOAD_B((subgroupColumn + j * kTileN) * kStride + kk / kPerWord);
                [[unroll]] for (uint i = 0; i < kTilesM; ++i)
                    sums[i][j] = MULTIPLY_ADD(a[i], b, sums[i][j]);
            }
        }
        barrier();
    }
    [[unroll]] for (uint i = 0; i < kTilesM; ++i)
        [[unroll]] for (uint j = 0; j < kTilesN; ++j)
            coopMatStore(sums[i][j], c,
                         (row + subgroupRow + i * kTileM) * N + column + subgroupColumn + j * kTileN,
                         N, gl_CooperativeMatrixLayoutRowMajor);
}
