// SPDX-License-Identifier: Apache-2.0
#version 450
layout(local_size_x = 1) in;
layout(constant_id = 0) const uint index = 0;
layout(set = 0, binding = 0, std430) buffer In { uint inputs[]; };
layout(set = 0, binding = 1, std430) buffer Out { uint outputs[]; };

shared uint numbers[4];

void main() {
    numbers[2] = 7;
    uint number = numbers[index];
    if (index == 2) outputs[0] = number;
}
