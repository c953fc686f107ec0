// SPDX-License-Identifier: Apache-2.0
#version 450
#extension GL_KHR_shader_subgroup_arithmetic : require
layout(local_size_x = 4) in;
layout(set = 0, binding = 0, std430) buffer In { uint inputs[]; };
layout(set = 0, binding = 1, std430) buffer Out { uint outputs[]; };

uint next = 0;
void put(bool x) { outputs[next++ * 4 + gl_LocalInvocationIndex] = uint(x); }

void main() {
    bool b = inputs[gl_LocalInvocationIndex] != 0;
    put(subgroupAnd(b));
    put(subgroupInclusiveAnd(b));
    put(subgroupExclusiveAnd(b));
    put(subgroupOr(b));
    put(subgroupInclusiveOr(b));
    put(subgroupExclusiveOr(b));
    put(subgroupXor(b));
    put(subgroupInclusiveXor(b));
    put(subgroupExclusiveXor(b));
}
