// SPDX-License-Identifier: Apache-2.0
#version 450
layout(local_size_x = 3, local_size_y = 2, local_size_z = 4) in;
layout(set = 0, binding = 1, std430) buffer Out { uint outputs[]; };

void main() {
    uvec3 size = gl_NumWorkGroups;
    uint group = (gl_WorkGroupID.z * size.y + gl_WorkGroupID.y) * size.x + gl_WorkGroupID.x;
    uint at = 5 * (24 * group + gl_LocalInvocationIndex);
    uvec3 local = gl_LocalInvocationID, all = gl_GlobalInvocationID;
    outputs[at] = local.x + 10 * local.y + 100 * local.z;
    outputs[at + 1] = gl_WorkGroupID.x + 10 * gl_WorkGroupID.y + 100 * gl_WorkGroupID.z;
    outputs[at + 2] = all.x + 100 * all.y + 10000 * all.z;
    outputs[at + 3] = size.x + 10 * size.y + 100 * size.z;
    outputs[at + 4] += 1;
}
