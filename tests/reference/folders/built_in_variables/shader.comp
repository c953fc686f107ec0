// SPDX-License-Identifier: Apache-2.0
#version 450
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_ballot : require
layout(local_size_x = 3, local_size_y = 4) in;
layout(set = 0, binding = 1, std430) buffer Out { uint outputs[]; };

void main() {
    uint at = 8 * gl_LocalInvocationIndex;
    outputs[at] = gl_SubgroupSize + 1000 * gl_NumSubgroups + 100000 * gl_SubgroupID + 1000000 * gl_SubgroupInvocationID;
    outputs[at + 1] = gl_SubgroupEqMask.x;
    outputs[at + 2] = gl_SubgroupGeMask.x;
    outputs[at + 3] = gl_SubgroupGtMask.x;
    outputs[at + 4] = gl_SubgroupLeMask.x;
    outputs[at + 5] = gl_SubgroupLtMask.x;
    outputs[at + 6] = gl_SubgroupGeMask.y | gl_SubgroupGtMask.z | gl_SubgroupLeMask.w | gl_SubgroupLtMask.y | gl_SubgroupEqMask.y;
    outputs[at + 7] = gl_WorkGroupSize.x + 10 * gl_WorkGroupSize.y + 100 * gl_WorkGroupSize.z;
}
