// SPDX-License-Identifier: Apache-2.0
#version 450
#extension GL_KHR_shader_subgroup_arithmetic : require
layout(local_size_x = 8) in;
layout(set = 0, binding = 0, std430) buffer In { int inputs[]; };
layout(set = 0, binding = 1, std430) buffer Out { uint outputs[]; };

uint next = 0;
void put(uint x) { outputs[gl_LocalInvocationIndex * 54 + next++] = x; }

void main() {
    int i = inputs[gl_LocalInvocationIndex];
    uint u = uint(i);
    float f = intBitsToFloat(inputs[8 + gl_LocalInvocationIndex]);
    if (inputs[16 + gl_LocalInvocationIndex] == 0) return;
    put(uint(subgroupAdd(i)));
    put(uint(subgroupInclusiveAdd(i)));
    put(uint(subgroupExclusiveAdd(i)));
    put(uint(subgroupMul(i)));
    put(uint(subgroupInclusiveMul(i)));
    put(uint(subgroupExclusiveMul(i)));
    put(uint(subgroupMin(i)));
    put(uint(subgroupInclusiveMin(i)));
    put(uint(subgroupExclusiveMin(i)));
    put(uint(subgroupMax(i)));
    put(uint(subgroupInclusiveMax(i)));
    put(uint(subgroupExclusiveMax(i)));
    put(uint(subgroupAnd(i)));
    put(uint(subgroupInclusiveAnd(i)));
    put(uint(subgroupExclusiveAnd(i)));
    put(uint(subgroupOr(i)));
    put(uint(subgroupInclusiveOr(i)));
    put(uint(subgroupExclusiveOr(i)));
    put(uint(subgroupXor(i)));
    put(uint(subgroupInclusiveXor(i)));
    put(uint(subgroupExclusiveXor(i)));
    put(uint(subgroupAdd(u)));
    put(uint(subgroupInclusiveAdd(u)));
    put(uint(subgroupExclusiveAdd(u)));
    put(uint(subgroupMul(u)));
    put(uint(subgroupInclusiveMul(u)));
    put(uint(subgroupExclusiveMul(u)));
    put(uint(subgroupMin(u)));
    put(uint(subgroupInclusiveMin(u)));
    put(uint(subgroupExclusiveMin(u)));
    put(uint(subgroupMax(u)));
    put(uint(subgroupInclusiveMax(u)));
    put(uint(subgroupExclusiveMax(u)));
    put(uint(subgroupAnd(u)));
    put(uint(subgroupInclusiveAnd(u)));
    put(uint(subgroupExclusiveAnd(u)));
    put(uint(subgroupOr(u)));
    put(uint(subgroupInclusiveOr(u)));
    put(uint(subgroupExclusiveOr(u)));
    put(uint(subgroupXor(u)));
    put(uint(subgroupInclusiveXor(u)));
    put(uint(subgroupExclusiveXor(u)));
    put(floatBitsToUint(subgroupAdd(f)));
    put(floatBitsToUint(subgroupInclusiveAdd(f)));
    put(floatBitsToUint(subgroupExclusiveAdd(f)));
    put(floatBitsToUint(subgroupMul(f)));
    put(floatBitsToUint(subgroupInclusiveMul(f)));
    put(floatBitsToUint(subgroupExclusiveMul(f)));
    put(floatBitsToUint(subgroupMin(f)));
    put(floatBitsToUint(subgroupInclusiveMin(f)));
    put(floatBitsToUint(subgroupExclusiveMin(f)));
    put(floatBitsToUint(subgroupMax(f)));
    put(floatBitsToUint(subgroupInclusiveMax(f)));
    put(floatBitsToUint(subgroupExclusiveMax(f)));
}
