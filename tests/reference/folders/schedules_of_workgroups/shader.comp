// SPDX-License-Identifier: Apache-2.0
#version 450
layout(local_size_x = 4) in;
layout(set = 0, binding = 0, std430) buffer Out { uint outputs[]; };

void main() {
    const uvec3 id = gl_WorkGroupID, all = gl_NumWorkGroups;
    if (gl_LocalInvocationIndex == 0)
        outputs[(id.z * all.y + id.y) * all.x + id.x] += 1 + id.x + 10 * id.y + 100 * id.z;
}
