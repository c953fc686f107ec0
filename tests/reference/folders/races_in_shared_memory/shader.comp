// SPDX-License-Identifier: Apache-2.0
#version 450
layout(local_size_x = 4) in;
layout(constant_id = 0) const uint waits = 0;
layout(set = 0, binding = 0, std430) buffer In { uint inputs[]; };
layout(set = 0, binding = 1, std430) buffer Out { uint outputs[]; };

shared uint numbers[4];

void main() {
    const uint i = gl_LocalInvocationIndex;
    numbers[i] = i;
    if (waits == 1) barrier();
    outputs[i] = numbers[(i + 1) % 4];
}
