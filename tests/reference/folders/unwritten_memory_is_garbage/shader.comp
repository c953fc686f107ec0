// SPDX-License-Identifier: Apache-2.0
#version 450
layout(local_size_x = 1) in;
layout(set = 0, binding = 0, std430) buffer In { uint inputs[]; };
layout(set = 0, binding = 1, std430) buffer Out { uint outputs[]; };

shared uint numbers[4];

void main() {
    uint own[4];
    own[inputs[0]] = 0;
    numbers[inputs[0]] = 0;
    outputs[0] = uint(numbers[inputs[1]] != 0);
    outputs[1] = uint(own[inputs[1]] != 0);
}
