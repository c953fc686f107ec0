// SPDX-License-Identifier: Apache-2.0
#version 450
#extension GL_KHR_shader_subgroup_quad : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_shuffle_relative : require
layout(local_size_x = 16) in;
layout(set = 0, binding = 0, std430) buffer In { uint inputs[]; };
layout(set = 0, binding = 1, std430) buffer Out { uint outputs[]; };

uint next = 0;
void put(uint x) { outputs[gl_LocalInvocationIndex * 9 + next++] = x; }

void main() {
    uint x = inputs[gl_LocalInvocationIndex], lane = gl_SubgroupInvocationID;
    put(subgroupQuadBroadcast(x, 0));
    put(subgroupQuadBroadcast(x, 2));
    put(subgroupQuadSwapHorizontal(x));
    put(subgroupQuadSwapVertical(x));
    put(subgroupQuadSwapDiagonal(x));
    put(subgroupShuffle(x, (lane * 3 + 1) % 8));
    put(subgroupShuffleXor(x, 5));
    uint up = subgroupShuffleUp(x, 3), down = subgroupShuffleDown(x, 2);
    put(lane < 3 ? 0 : up);
    put(lane > 5 ? 0 : down);
}
