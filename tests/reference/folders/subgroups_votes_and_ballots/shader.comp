// SPDX-License-Identifier: Apache-2.0
#version 450
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_arithmetic : require
layout(local_size_x = 16) in;
layout(set = 0, binding = 0, std430) buffer In { uint inputs[]; };
layout(set = 0, binding = 1, std430) buffer Out { uint outputs[]; };

uint next = 0;
void put(uint x) { outputs[gl_LocalInvocationIndex * 26 + next++] = x; }

void main() {
    uint x = inputs[gl_LocalInvocationIndex];
    uvec4 bits = uvec4(0xFFFFFF24u, 0xFFFFFFFFu, 0xFFFFFFFFu, 0xFFFFFFFFu);  // of 8 lanes: 2 and 5
    if (inputs[16 + gl_LocalInvocationIndex] == 0) return;
    bool odd = (x & 1) != 0;
    put(uint(subgroupElect()));
    put(uint(subgroupAll(x > 2)));
    put(uint(subgroupAll(odd)));
    put(uint(subgroupAny(odd)));
    put(uint(subgroupAny(x > 63)));
    put(uint(subgroupAllEqual(x)));
    put(uint(subgroupAllEqual(x / 64)));
    put(subgroupBallot(odd).x);
    put(subgroupBallot(odd).y);
    put(uint(subgroupInverseBallot(bits)));
    put(uint(subgroupBallotBitExtract(bits, 5)));
    put(uint(subgroupBallotBitExtract(bits, 4)));
    put(subgroupBallotBitCount(bits));
    put(subgroupBallotInclusiveBitCount(bits));
    put(subgroupBallotExclusiveBitCount(bits));
    put(subgroupBallotFindLSB(bits));
    put(subgroupBallotFindMSB(bits));
    put(subgroupBroadcast(x, 3));
    put(subgroupBroadcastFirst(x));
    put(uint(subgroupAnd(odd)));
    put(uint(subgroupOr(odd)));
    put(uint(subgroupXor(odd)));
    put(uint(subgroupInclusiveAnd(odd)));
    put(uint(subgroupInclusiveOr(odd)));
    put(uint(subgroupExclusiveXor(odd)));
    put(uint(subgroupExclusiveAnd(odd)));
}
