// SPDX-License-Identifier: Apache-2.0
//
// C[M,N] = A[M,K] * B[K,N], all row-major; A and B of float16_t, C of ACCUMULATOR. A workgroup is
// 8 subgroups, 4 below each other and 2 beside, and makes 128 x 128 elements of C, a subgroup
// 32 x 64 of them, in steps of 32 along K: A's and B's tiles go through shared memory.
// M and N are multiples of 128, K of 32.
//
// -D ACCUMULATOR=float|float16_t, TILE_M, TILE_N, TILE_K: the size of a matrix multiply-add.
// -D NV: with GL_NV_cooperative_matrix instead of KHR's; needs -D ACCUMULATOR_BITS=32|16 too.
// -D FORMATS: A and B are in one of 32 made-up packed formats, chosen by specialization constants:
// the code for the others is dead, as in the shaders of real programs that read many formats.
#version 460
#pragma use_vulkan_memory_model
#ifdef NV
#extension GL_NV_cooperative_matrix : require
#else
#extension GL_KHR_cooperative_matrix : require
#endif
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#include "staging.glsl"

const uint kGroupM = 128, kGroupN = 128, kGroupK = 32;
const uint kSubgroupM = 32, kSubgroupN = 64;
const uint kSubgroupsBeside = kGroupN / kSubgroupN;
const int kTilesM = int(kSubgroupM) / TILE_M, kTilesN = int(kSubgroupN) / TILE_N;
// Strides of the tiles in shared memory, in pairs; the padding spreads rows over its banks.
const uint kStrideA = kGroupK / 2 + 4, kStrideB = kGroupN / 2 + 4;

layout(local_size_x_id = 0) in;  // 8 times the subgroup size
layout(set = 0, binding = 0) readonly buffer BufferA { uvec4 a8[]; };
layout(set = 0, binding = 1) readonly buffer BufferB { uvec4 b8[]; };
layout(set = 0, binding = 2) buffer BufferC { ACCUMULATOR c[]; };
layout(push_constant) uniform Sizes { uint M, N, K; };

// Two adjacent elements of a row. glslang's loads of NV matrices take no arrays of f16vec2.
#ifdef NV
#define PAIR uint
#define UNPACK(pair) (pair)
#else
#define PAIR f16vec2
#define UNPACK(pair) unpackFloat2x16(pair)
#endif
shared PAIR tileA[kGroupM * kStrideA];
shared PAIR tileB[kGroupK * kStrideB];

#ifdef NV
#define MATRIX_A fcoopmatNV<16, gl_ScopeSubgroup, TILE_M, TILE_K>
#define MATRIX_B fcoopmatNV<16, gl_ScopeSubgroup, TILE_K, TILE_N>
#define MATRIX_C fcoopmatNV<ACCUMULATOR_BITS, gl_ScopeSubgroup, TILE_M, TILE_N>
#define LOAD_ROWS(matrix, from, at, stride) coopMatLoadNV(matrix, from, at, stride, false)
#define STORE_ROWS(matrix, to, at, stride) coopMatStoreNV(matrix, to, at, stride, false)
#define MULTIPLY_ADD coopMatMulAddNV
#else
#define MATRIX(type, rows, columns, use) coopmat<type, gl_ScopeSubgroup, rows, columns, use>
#define MATRIX_A MATRIX(float16_t, TILE_M, TILE_K, gl_MatrixUseA)
#define MATRIX_B MATRIX(float16_t, TILE_K, TILE_N, gl_MatrixUseB)
#define MATRIX_C MATRIX(ACCUMULATOR, TILE_M, TILE_N, gl_MatrixUseAccumulator)
#define LOAD_ROWS(matrix, from, at, stride) \
    coopMatLoad(matrix, from, at, stride, gl_CooperativeMatrixLayoutRowMajor)
#define STORE_ROWS(matrix, to, at, stride) \
    coopMatStore(matrix, to, at, stride, gl_CooperativeMatrixLayoutRowMajor)
#define MULTIPLY_ADD coopMatMulAdd
#endif

// Copies 8 adjacent elements of a row from global to shared memory.
#define COPY8(tile, at, value)          \
    tile[(at) + 0] = UNPACK((value).x); \
    tile[(at) + 1] = UNPACK((value).y); \
    tile[(at) + 2] = UNPACK((value).z); \
    tile[(at) + 3] = UNPACK((value).w)

#ifdef FORMATS
layout(constant_id = 1) const uint kFormatA = 0;
layout(constant_id = 2) const uint kFormatB = 1;

// Two adjacent elements from fields of `bits` bits that start at bit `at`, with a scale in the last
// byte.
#define PACK2(value, bits, at, offset)                                                     \
    packFloat2x16(f16vec2((float(bitfieldExtract(value, int(at), int(bits))) - (offset)) * \
                              (float((value) >> 24) / 255.0),                              \
                          (float(bitfieldExtract(value, int((at) + (bits)), int(bits))) -  \
                           (offset)) * (float((value) >> 24) / 255.0)))
#define FORMAT(bits, at, offset)                                            \
    return uvec4(PACK2(v.x, bits, at, offset), PACK2(v.y, bits, at, offset), \
                 PACK2(v.z, bits, at, offset), PACK2(v.w, bits, at, offset))
#define FORMATS4(first, bits)                \
    case first + 0: FORMAT(bits, 0, 0);      \
    case first + 1: FORMAT(bits, 1, 1 << 2); \
    case first + 2: FORMAT(bits, 2, 5);      \
    case first + 3: FORMAT(bits, 3, 7.5)

#define DECODE(name, format)  \
    uvec4 name(uvec4 v) {     \
        switch (format) {     \
            FORMATS4(0, 1);   \
            FORMATS4(4, 2);   \
            FORMATS4(8, 3);   \
            FORMATS4(12, 4);  \
            FORMATS4(16, 5);  \
            FORMATS4(20, 6);  \
            FORMATS4(24, 7);  \
            FORMATS4(28, 8);  \
        }                     \
        return v;             \
    }
DECODE(decodeA, kFormatA)
DECODE(decodeB, kFormatB)
#else
#define decodeA(value) (value)
#define decodeB(value) (value)
#endif

const uint kPartsA = kGroupM * kGroupK / 8, kPartsB = kGroupK * kGroupN / 8;

void copyPartOfA(uint row, uint k, uint part) {
    const uint r = part / (kGroupK / 8), w = part % (kGroupK / 8);
    const uvec4 value = decodeA(a8[((row + r) * K + k) / 8 + w]);
    COPY8(tileA, r * kStrideA + w * 4, value);
}

void copyPartOfB(uint column, uint k, uint part) {
    const uint r = part / (kGroupN / 8), w = part % (kGroupN / 8);
    const uvec4 value = decodeB(b8[((k + r) * N + column) / 8 + w]);
    COPY8(tileB, r * kStrideB + w * 4, value);
}

void loadTiles(uint row, uint column, uint k) {
    const uint threads = gl_WorkGroupSize.x, thread = gl_LocalInvocationIndex;
    [[unroll]] for (uint i = 0; i < STAGING_STEPS(kPartsA, threads); ++i) {
        const uint part = STAGING_PART(i, thread, threads);
        if (STAGING_HAS(part, kPartsA, threads)) copyPartOfA(row, k, part);
    }
    [[unroll]] for (uint i = 0; i < STAGING_STEPS(kPartsB, threads); ++i) {
        const uint part = STAGING_PART(i, thread, threads);
        if (STAGING_HAS(part, kPartsB, threads)) copyPartOfB(column, k, part);
    }
}

void main() {
    const uint row = gl_WorkGroupID.y * kGroupM, column = gl_WorkGroupID.x * kGroupN;
    const uint subgroupRow = gl_SubgroupID / kSubgroupsBeside * kSubgroupM;
    const uint subgroupColumn = gl_SubgroupID % kSubgroupsBeside * kSubgroupN;

    MATRIX_C sums[kTilesM][kTilesN];
    [[unroll]] for (int i = 0; i < kTilesM; ++i)
        [[unroll]] for (int j = 0; j < kTilesN; ++j) sums[i][j] = MATRIX_C(0.0);

    for (uint k = 0; k < K; k += kGroupK) {
        loadTiles(row, column, k);
        barrier();
        [[unroll]] for (uint kk = 0; kk < kGroupK; kk += TILE_K) {
            MATRIX_A a[kTilesM];
            [[unroll]] for (int i = 0; i < kTilesM; ++i)
                LOAD_ROWS(a[i], tileA, (subgroupRow + i * TILE_M) * kStrideA + kk / 2, kStrideA);
            [[unroll]] for (int j = 0; j < kTilesN; ++j) {
                MATRIX_B b;
                LOAD_ROWS(b, tileB, kk * kStrideB + (subgroupColumn + j * TILE_N) / 2, kStrideB);
                [[unroll]] for (int i = 0; i < kTilesM; ++i)
                    sums[i][j] = MULTIPLY_ADD(a[i], b, sums[i][j]);
            }
        }
        barrier();
    }
    [[unroll]] for (int i = 0; i < kTilesM; ++i)
        [[unroll]] for (int j = 0; j < kTilesN; ++j)
            STORE_ROWS(sums[i][j], c,
                       (row + subgroupRow + i * TILE_M) * N + column + subgroupColumn + j * TILE_N,
                       N);
}
