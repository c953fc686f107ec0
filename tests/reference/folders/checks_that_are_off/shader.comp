// SPDX-License-Identifier: Apache-2.0
#version 450
layout(local_size_x = 4) in;
layout(set = 0, binding = 0, std430) buffer In { uint inputs[]; };
layout(set = 0, binding = 1, std430) buffer Out { uint outputs[]; };

void main() {
    const uint i = gl_LocalInvocationIndex;
    uint none;
    outputs[0] = 7;
    if (inputs[0] == 1) outputs[1] = inputs[4];
    if (inputs[0] == 2) outputs[1] = none;
}
