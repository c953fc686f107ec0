// SPDX-License-Identifier: Apache-2.0
#version 450
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_EXT_subgroup_uniform_control_flow : require
layout(local_size_x = 8) in;
layout(constant_id = 0) const uint leaves = 0;
layout(set = 0, binding = 1, std430) buffer Out { uint outputs[40]; };

uint counted(uint i) {
    do {
        if (i % 4 < 2) {
            outputs[32 + i] = 1;
            break;
        }
        outputs[32 + i] = 2;
    } while (false);
    return subgroupAdd(1);
}

void main() [[subgroup_uniform_control_flow]] {
    const uint i = gl_LocalInvocationIndex;
    do {
        do {
            if (i % 4 == 0) break;
            outputs[32 + i] = 3;
        } while (false);
        outputs[8 + i] = subgroupAdd(1);
        outputs[16 + i] = counted(i);
        if (leaves == 1 && i >= 4) return;
        if (i < 2) break;
        outputs[24 + i] = 4;
    } while (false);
    outputs[i] = subgroupAdd(1);
}
