// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_GOOGLE_include_directive : require
#include "../../../shaders/coopvk_2d_block_io.glsl"
layout(local_size_x_id = 0) in;  // one subgroup
layout(binding = 0) readonly buffer A { uint a[]; };
layout(binding = 1) buffer C { uint c[]; };

void main() {
    uint tile[16];
    coopvkBlockLoadTransposed(4u, 8u, 8u, 1u, a[0], 64u, 16, 64u, ivec2(2, 3), tile[0]);
    coopvkBlockStore(4u, 8u, 8u, 1u, tile[0], c[0], 64u, 16, 64u, ivec2(1, 0));
}
