// SPDX-License-Identifier: Apache-2.0
#version 450
layout(local_size_x = 4) in;
layout(constant_id = 0) const uint other = 1;
layout(set = 0, binding = 0, std430) buffer Number { uint number; };
layout(set = 0, binding = 1, std430) buffer Out { uint outputs[4]; };

void main() {
    const uint i = gl_LocalInvocationIndex;
    if (i == other) outputs[i] = number;
    if (i == 0) {
        outputs[0] = number;
        outputs[0] += number;
        outputs[0] += number;
        number = 7;
    }
}
