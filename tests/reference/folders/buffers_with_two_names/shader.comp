// SPDX-License-Identifier: Apache-2.0
#version 450
layout(local_size_x = 4) in;
layout(set = 0, binding = 0, std430) restrict buffer In { uint inputs[]; };
layout(set = 0, binding = 1, std430) buffer First { uint first[]; };
layout(set = 0, binding = 1, std430) buffer Second { uint second[]; };

void main() {
    const uint i = gl_LocalInvocationIndex;
    first[i] = inputs[i];
    second[i + 4] = second[i] + 1;
    first[i] += first[i + 4];
}
