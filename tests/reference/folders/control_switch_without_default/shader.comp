// SPDX-License-Identifier: Apache-2.0
#version 450
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_EXT_subgroup_uniform_control_flow : require
layout(local_size_x = 8) in;
layout(set = 0, binding = 1, std430) buffer Out { uint outputs[]; };

void main() [[subgroup_uniform_control_flow]] {
    const uint i = gl_LocalInvocationIndex;
    uint x = i;
    switch (i & 1) {
        case 1: x += 100; break;
    }
    outputs[i] = x + 16 * subgroupAdd(1);
}
