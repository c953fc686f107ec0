// SPDX-License-Identifier: Apache-2.0
#version 450
#extension GL_ARB_shader_ballot : require
#extension GL_ARB_shader_group_vote : require
#extension GL_ARB_gpu_shader_int64 : require
layout(local_size_x = 16) in;
layout(set = 0, binding = 0, std430) buffer In { uint inputs[]; };
layout(set = 0, binding = 1, std430) buffer Out { uint outputs[]; };

uint next = 0;
void put(uint x) { outputs[gl_LocalInvocationIndex * 8 + next++] = x; }

void main() {
    uint x = inputs[gl_LocalInvocationIndex];
    if (inputs[16 + gl_LocalInvocationIndex] == 0) return;
    bool odd = (x & 1) != 0;
    put(uint(anyInvocationARB(x > 62)));
    put(uint(anyInvocationARB(odd)));
    put(uint(allInvocationsARB(odd)));
    put(uint(allInvocationsEqualARB(odd)));
    put(uint(ballotARB(odd)));
    put(uint(ballotARB(odd) >> 32));
    put(readInvocationARB(x, 2));
    put(readFirstInvocationARB(x));
}
