#version 460
// SPDX-License-Identifier: Apache-2.0
//
// target = transpose(source), a tile a workgroup: one transposed block load, one block store. Tiles
// at the edges need no care: what lies outside is neither loaded nor stored.
#extension GL_GOOGLE_include_directive : require
#include "coopvk_2d_block_io.glsl"

layout(local_size_x_id = 0) in;  // one subgroup, of at least four invocations

layout(set = 0, binding = 0) readonly buffer Source { float source[]; };
layout(set = 0, binding = 1) buffer Target { float target[]; };
layout(push_constant) uniform Sizes {
    uint columns, rows;              // of the source
    uint sourcePitch, targetPitch;   // bytes from row to row
};

const uint kTile = 16u;

void main() {
    const ivec2 at = ivec2(gl_WorkGroupID.xy * kTile);
    float tile[kTile * kTile / 4u];
    coopvkBlockLoadTransposed(4u, kTile, kTile, 1u, source[0], columns * 4u, rows, sourcePitch, at,
                              tile[0]);
    coopvkBlockStore(4u, kTile, kTile, 1u, tile[0], target[0], rows * 4u, columns, targetPitch,
                     at.yx);
}
