// SPDX-License-Identifier: Apache-2.0
#version 450
layout(local_size_x_id = 1) in;
layout(constant_id = 0) const uint synchronises = 1;
layout(set = 0, binding = 1, std430) buffer Out { uint outputs[]; };

shared uint numbers[8];

void main() {
    const uint i = gl_LocalInvocationIndex, next = (i + 1) % gl_WorkGroupSize.x;
    numbers[i] = i * i;
    if (synchronises == 1) barrier();
    outputs[i] = numbers[next];
}
