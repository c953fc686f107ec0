// SPDX-License-Identifier: Apache-2.0
#version 450
#extension GL_EXT_shader_quad_control : require
#extension GL_KHR_shader_subgroup_vote : require
layout(local_size_x = 16) in;
layout(set = 0, binding = 0, std430) buffer In { uint inputs[]; };
layout(set = 0, binding = 1, std430) buffer Out { uint outputs[]; };

void main() {
    bool x = inputs[gl_LocalInvocationIndex] != 0;
    outputs[gl_LocalInvocationIndex * 2] = uint(subgroupQuadAll(x));
    outputs[gl_LocalInvocationIndex * 2 + 1] = uint(subgroupQuadAny(x));
}
