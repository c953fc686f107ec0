// SPDX-License-Identifier: Apache-2.0
#version 450
layout(local_size_x = 32) in;
layout(set = 0, binding = 0, std430) buffer In { uint inputs[]; };
layout(set = 0, binding = 1, std430) buffer Out { uint outputs[]; };

shared uint numbers[2 * 32];

void main() {
    for (uint distance = 0; distance < 3; ++distance)
        atomicOr(numbers[gl_LocalInvocationIndex * distance], 1);
}
