// SPDX-License-Identifier: Apache-2.0
#version 450
#extension GL_KHR_shader_subgroup_basic : require
layout(local_size_x = 16) in;
layout(set = 0, binding = 0, std430) buffer In { uint tickets; };
layout(set = 0, binding = 1, std430) buffer Out { uint outputs[]; };

void main() {
    uint first = gl_WorkGroupID.x * gl_NumSubgroups * 2 + gl_SubgroupID * 2;
    for (uint i = 0; i < 2; ++i)
        if (subgroupElect()) outputs[first + i] = atomicAdd(tickets, 1);
}
