// SPDX-License-Identifier: Apache-2.0
#version 450
layout(local_size_x = 1) in;
layout(set = 0, binding = 0, std430) buffer In { uint inputs[]; };
layout(set = 0, binding = 1, std430) buffer Out { uint outputs[]; };

shared uint words[4];

void main() {
    words[inputs[0]] = 5;
    outputs[0] = words[inputs[1]];
}
