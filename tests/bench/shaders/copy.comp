// SPDX-License-Identifier: Apache-2.0
//
// Copies rows of 32-bit words, a tile of 32 rows by as many words as a subgroup has invocations for
// each subgroup.
//
// -D PLAIN: each invocation copies a column of the tile.
// -D BLOCK_BYTES=4|2|1: by 2D block loads and stores of elements of so many bytes.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_EXT_control_flow_attributes : require
#ifndef PLAIN
#include "coopvk_2d_block_io.glsl"
#endif

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint kLanes = 32;
const uint kRows = 32;

layout(push_constant) uniform Sizes { uint words, rows; };

#ifdef PLAIN
layout(set = 0, binding = 0) readonly buffer Source { uint source[]; };
layout(set = 0, binding = 1) buffer Target { uint target[]; };

void copyTile(uint column, uint row) {
    uint values[kRows];
    const uint first = row * words + column + gl_SubgroupInvocationID;
    [[unroll]] for (uint r = 0; r < kRows; ++r) values[r] = source[first + r * words];
    [[unroll]] for (uint r = 0; r < kRows; ++r) target[first + r * words] = values[r];
}
#else
#if BLOCK_BYTES == 4
#define ELEMENT uint
#elif BLOCK_BYTES == 2
#define ELEMENT uint16_t
#else
#define ELEMENT uint8_t
#endif
layout(set = 0, binding = 0) readonly buffer Source { ELEMENT source[]; };
layout(set = 0, binding = 1) buffer Target { ELEMENT target[]; };
const uint kBytes = BLOCK_BYTES;
const uint kWidth = kLanes * (4 / BLOCK_BYTES);

void copyTile(uint column, uint row) {
    ELEMENT values[kRows * 4 / BLOCK_BYTES];
    const ivec2 at = ivec2(column * (4 / BLOCK_BYTES), row);
    coopvkBlockLoad(kBytes, kWidth, kRows, 1u, source[0], words * 4, rows, words * 4, at,
                    values[0]);
    coopvkBlockStore(kBytes, kWidth, kRows, 1u, values[0], target[0], words * 4, rows, words * 4,
                     at);
}
#endif

void main() {
    const uint tile = gl_WorkGroupID.x * gl_NumSubgroups + gl_SubgroupID;
    const uint across = words / kLanes;
    copyTile(tile % across * kLanes, tile / across * kRows);
}
