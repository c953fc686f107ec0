// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_EXT_bfloat16 : require
layout(local_size_x = 128) in;
layout(binding = 0) readonly buffer A { uint a[]; };
layout(binding = 1) buffer C { float c[]; };

void main() {
    bfloat16_t x = bfloat16_t(float(a[gl_LocalInvocationIndex]) * 0.25);
    c[gl_LocalInvocationIndex] = float(x);
}
