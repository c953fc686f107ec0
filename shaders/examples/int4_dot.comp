#version 460
// SPDX-License-Identifier: Apache-2.0
//
// Each invocation: the dot product of eight 4-bit weights with eight integers, without matrices,
// and the weights doubled, clamped and packed again.
#extension GL_GOOGLE_include_directive : require
#include "coopvk_int4.glsl"

layout(local_size_x_id = 0) in;

layout(set = 0, binding = 0) readonly buffer Weights { uint weights[]; };
layout(set = 0, binding = 1) readonly buffer Values { int values[]; };
layout(set = 0, binding = 2) buffer Sums { int sums[]; };
layout(set = 0, binding = 3) buffer Doubled { uint doubled[]; };

void main() {
    const uint index = gl_GlobalInvocationID.x;
    coopvk_s4x8 eight = coopvkS4x8(weights[index]);
    int sum = 0;
    uint bits = 0u;
    for (uint i = 0u; i < 8u; ++i) {
        const int weight = coopvkToInt(coopvkElementS4x8(eight, i));
        sum += weight * values[index * 8u + i];
        coopvk_s4 twice = coopvkS4(clamp(2 * weight, -8, 7));
        bits |= (uint(coopvkToInt(twice)) & 15u) << 4u * i;
    }
    sums[index] = sum;
    doubled[index] = bits;
}
