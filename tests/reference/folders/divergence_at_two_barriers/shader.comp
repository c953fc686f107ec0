// SPDX-License-Identifier: Apache-2.0
#version 450
layout(local_size_x = 8) in;
layout(set = 0, binding = 1, std430) buffer Out { uint outputs[8]; };

void main() {
    const uint i = gl_LocalInvocationIndex;
    if (i % 2 == 0) {
        outputs[i] = 1;
        barrier();
    } else {
        outputs[i] = 2;
        barrier();
    }
}
