// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_EXT_float_e4m3 : require
#extension GL_EXT_float_e5m2 : require
layout(local_size_x = 128) in;
layout(binding = 0) readonly buffer A { uint a[]; };
layout(binding = 1) buffer C { float c[]; };

void main() {
    float x = float(a[gl_LocalInvocationIndex]);
    c[gl_LocalInvocationIndex] = float(floate4m3_t(x)) + 16.0 * float(floate5m2_t(x * 0.25));
}
