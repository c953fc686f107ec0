// SPDX-License-Identifier: Apache-2.0
//
// C = A * B + E by products of 16x16x16, where E has at each place the number that the element there
// has in its invocation: it depends on the layout of elements. A is row by row, K and the width of C
// are strides.
//
// -D FACTOR, BITS: the type of A's and B's components, and its bits. -D SUM: that of C's.
// -D ROWS: B is row by row; else column by column.
// -D SHARED: each of four subgroups makes 32x64 of C, from shared memory, in steps of 32 along K;
//   else a subgroup makes as many matrices as MATRICES_M x MATRICES_N, and loads straight from
//   buffers.
#version 460
#pragma use_vulkan_memory_model
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_float_e4m3 : require

#ifdef ROWS
#define ORDER gl_CooperativeMatrixLayoutRowMajor
#else
#define ORDER gl_CooperativeMatrixLayoutColumnMajor
#endif
#define MATRIX_A coopmat<FACTOR, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA>
#define MATRIX_B coopmat<FACTOR, gl_ScopeSubgroup, 16, 16, gl_MatrixUseB>
#define MATRIX_C coopmat<SUM, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator>

layout(set = 0, binding = 2) buffer BufferC { SUM c[]; };
layout(push_constant) uniform Depth { uint depth; };
const uint kStride = 1024;  // of A, B and C

#ifdef SHARED
layout(local_size_x = 128) in;
layout(set = 0, binding = 0) readonly buffer BufferA { uvec4 a[]; };
layout(set = 0, binding = 1) readonly buffer BufferB { uvec4 b[]; };

const uint kRows = 2, kColumns = 4;                // of matrices in a subgroup
const uint kGroupM = 64, kGroupN = 128, kStep = 32;  // of a workgroup
const uint kPart = 128 / BITS;                     // components of 16 bytes
#ifdef ROWS
const uint kLinesB = kStep, kLengthB = kGroupN;
#else
const uint kLinesB = kGroupN, kLengthB = kStep;
#endif
// Strides in 16 bytes; the padding spreads lines over the banks.
const uint kStrideA = kStep / kPart + 1, kStrideB = kLengthB / kPart + 1;
shared uvec4 tileA[kGroupM * kStrideA];
shared uvec4 tileB[kLinesB * kStrideB];

#define COPY(tile, tileStride, from, lines, length, first)                                      \
    [[unroll]] for (uint i = gl_LocalInvocationIndex; i < (lines) * (length) / kPart; i += 128) \
        tile[i / ((length) / kPart) * (tileStride) + i % ((length) / kPart)] =                  \
            from[(first) / kPart + i / ((length) / kPart) * (kStride / kPart) + i % ((length) / kPart)]

void load(uint row, uint column, uint k) {
    COPY(tileA, kStrideA, a, kGroupM, kStep, row * kStride + k);
#ifdef ROWS
    COPY(tileB, kStrideB, b, kLinesB, kLengthB, k * kStride + column);
#else
    COPY(tileB, kStrideB, b, kLinesB, kLengthB, column * kStride + k);
#endif
}

void main() {
    const uint row = gl_WorkGroupID.y * kGroupM, column = gl_WorkGroupID.x * kGroupN;
    const uint inRow = gl_SubgroupID / 2 * kRows * 16, inColumn = gl_SubgroupID % 2 * kColumns * 16;
    MATRIX_C sums[kRows * kColumns];
    [[unroll]] for (uint i = 0; i < kRows * kColumns; ++i) sums[i] = MATRIX_C(0);
    for (uint k = 0; k < depth; k += kStep) {
        load(row, column, k);
        barrier();
        [[unroll]] for (uint kk = 0; kk < kStep; kk += 16) {
            MATRIX_A x[kRows];
            [[unroll]] for (uint i = 0; i < kRows; ++i)
                coopMatLoad(x[i], tileA, (inRow + i * 16) * kStrideA + kk / kPart, kStrideA,
                            gl_CooperativeMatrixLayoutRowMajor);
            [[unroll]] for (uint j = 0; j < kColumns; ++j) {
                MATRIX_B y;
#ifdef ROWS
                coopMatLoad(y, tileB, kk * kStrideB + (inColumn + j * 16) / kPart, kStrideB, ORDER);
#else
                coopMatLoad(y, tileB, (inColumn + j * 16) * kStrideB + kk / kPart, kStrideB, ORDER);
#endif
                [[unroll]] for (uint i = 0; i < kRows; ++i)
                    sums[i * kColumns + j] = coopMatMulAdd(x[i], y, sums[i * kColumns + j]);
            }
        }
        barrier();
    }
#else
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) readonly buffer BufferA { FACTOR a[]; };
layout(set = 0, binding = 1) readonly buffer BufferB { FACTOR b[]; };
const uint kRows = MATRICES_M, kColumns = MATRICES_N;

void main() {
    const uint row = gl_WorkGroupID.y * kRows * 16, column = gl_WorkGroupID.x * kColumns * 16;
    const uint inRow = 0, inColumn = 0;
    MATRIX_C sums[kRows * kColumns];
    [[unroll]] for (uint i = 0; i < kRows * kColumns; ++i) sums[i] = MATRIX_C(0);
    for (uint k = 0; k < depth; k += 16) {
        MATRIX_A x[kRows];
        [[unroll]] for (uint i = 0; i < kRows; ++i)
            coopMatLoad(x[i], a, (row + i * 16) * kStride + k, kStride,
                        gl_CooperativeMatrixLayoutRowMajor);
        [[unroll]] for (uint j = 0; j < kColumns; ++j) {
            MATRIX_B y;
#ifdef ROWS
            coopMatLoad(y, b, k * kStride + column + j * 16, kStride, ORDER);
#else
            coopMatLoad(y, b, (column + j * 16) * kStride + k, kStride, ORDER);
#endif
            [[unroll]] for (uint i = 0; i < kRows; ++i)
                sums[i * kColumns + j] = coopMatMulAdd(x[i], y, sums[i * kColumns + j]);
        }
    }
#endif
    [[unroll]] for (uint i = 0; i < kRows * kColumns; ++i) {
        for (uint e = 0; e < sums[i].length(); ++e) sums[i][e] += SUM(e);
        coopMatStore(sums[i], c,
                     (row + inRow + i / kColumns * 16) * kStride + column + inColumn +
                         i % kColumns * 16,
                     kStride, gl_CooperativeMatrixLayoutRowMajor);
    }
}
