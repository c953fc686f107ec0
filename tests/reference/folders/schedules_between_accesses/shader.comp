// SPDX-License-Identifier: Apache-2.0
#version 450
#extension GL_KHR_shader_subgroup_basic : require
layout(local_size_x = 8) in;
layout(set = 0, binding = 0, std430) buffer In { uint steps[2]; };
layout(set = 0, binding = 1, std430) buffer Out { uint outputs[]; };

void main() {
    uint between = 0;
    for (uint i = 1; i <= 64; ++i) {
        uint others = steps[1 - gl_SubgroupID];
        if (others != 0 && others != 64) between = 1;
        steps[gl_SubgroupID] = i;
    }
    if (subgroupElect()) atomicOr(outputs[0], between);
}
