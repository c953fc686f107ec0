// SPDX-License-Identifier: Apache-2.0
#version 450
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_clustered : require
#extension GL_KHR_shader_subgroup_ballot : require
layout(local_size_x = 8) in;
layout(set = 0, binding = 0, std430) buffer Out { uint outputs[]; };

uint next = 0;
void put(uvec3 v) {
    for (uint c = 0; c < 3; ++c) outputs[gl_LocalInvocationIndex * 21 + next++] = v[c];
}

void main() {
    const uint i = gl_LocalInvocationIndex;
    const uvec3 v = uvec3(i + 1, 10 * (i + 2), 100u ^ i);
    put(subgroupAdd(v));
    put(subgroupInclusiveAdd(v));
    put(subgroupExclusiveAdd(v));
    put(subgroupMax(v));
    put(subgroupClusteredAdd(v, 2));
    put(subgroupShuffle(v, i ^ 3));
    put(subgroupBroadcast(v, 2));
}
