// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_EXT_long_vector : require
layout(local_size_x = 128) in;
layout(binding = 0) readonly buffer A { uint a[]; };
layout(binding = 1) buffer C { float c[]; };

void main() {
    vector<float, 19> x = vector<float, 19>(float(a[gl_LocalInvocationIndex]));
    for (int i = 0; i < 19; ++i) x[i] += float(i);
    x = x * x + x;
    c[gl_LocalInvocationIndex] = x[0] + x[7] * 2.0 + x[18] * 4.0;
}
