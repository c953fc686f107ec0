// SPDX-License-Identifier: Apache-2.0
#version 450
layout(local_size_x = 1) in;
layout(constant_id = 0) const uint index = 0;
layout(set = 0, binding = 0, std430) buffer In { uint inputs[]; };
layout(set = 0, binding = 1, std430) buffer Out { uint outputs[]; };

shared uint first[16];
shared uint second[16];

void main() {
    second[0] = 1;
    first[gl_LocalInvocationIndex + index] = 5;
    outputs[0] = second[0];
}
