// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_GOOGLE_include_directive : require
#include "../../../shaders/coopvk_int4.glsl"
layout(local_size_x = 128) in;
layout(binding = 0) readonly buffer A { uint a[]; };
layout(binding = 1) buffer C { int c[]; };

void main() {
    coopvk_s4x8 eight = coopvkS4x8(a[gl_LocalInvocationIndex] * 0x9e3779b9u);
    int sum = 0;
    for (uint i = 0u; i < 8u; ++i) sum += int(i + 1u) * coopvkToInt(coopvkElementS4x8(eight, i));
    c[gl_LocalInvocationIndex] = sum;
}
