#version 460
// SPDX-License-Identifier: Apache-2.0
//
// c = a x b with block reads: a workgroup (one subgroup) computes 8 rows by as many columns as it
// has invocations. Rows and columns that the matrices do not have read as zero and are not stored.
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_shuffle : require
#include "coopvk_2d_block_io.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint kLanes = 32u;

layout(set = 0, binding = 0) readonly buffer A { float a[]; };
layout(set = 0, binding = 1) readonly buffer B { float b[]; };
layout(set = 0, binding = 2) buffer C { float c[]; };
layout(push_constant) uniform Sizes {
    uint rows, columns, depth;
    uint aPitch, bPitch, cPitch;  // bytes from row to row
};

const uint kRows = 8u, kDepth = 8u;

// Element (row, column) of an 8x8 tile is dealt to an invocation at a place of its array.
float elementOf(float tile[16], uint row, uint column) {
    const uint place = kLanes >= kDepth ? (row * kDepth + column) / kLanes
                                        : row * (kDepth / kLanes) + column % (kDepth / kLanes);
    const uint lane = kLanes >= kDepth ? (row * kDepth + column) % kLanes
                                       : column / (kDepth / kLanes);
    return subgroupShuffle(tile[place], lane);
}

void main() {
    const int firstRow = int(gl_WorkGroupID.y * kRows);
    const int firstColumn = int(gl_WorkGroupID.x * kLanes);
    float sums[kRows];
    for (uint r = 0u; r < kRows; ++r) sums[r] = 0.0;
    for (int k = 0; k < int(depth); k += int(kDepth)) {
        float aTile[16];      // 64 elements over at least four invocations
        float bTile[kDepth];  // one column
        coopvkBlockLoad(4u, kDepth, kRows, 1u, a[0], depth * 4u, rows, aPitch,
                        ivec2(k, firstRow), aTile[0]);
        coopvkBlockLoad(4u, kLanes, kDepth, 1u, b[0], columns * 4u, depth, bPitch,
                        ivec2(firstColumn, k), bTile[0]);
        for (uint r = 0u; r < kRows; ++r) {
            for (uint i = 0u; i < kDepth; ++i) sums[r] += elementOf(aTile, r, i) * bTile[i];
        }
    }
    coopvkBlockStore(4u, kLanes, kRows, 1u, sums[0], c[0], columns * 4u, rows, cPitch,
                     ivec2(firstColumn, firstRow));
}
