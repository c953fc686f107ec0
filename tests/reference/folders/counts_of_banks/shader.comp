// SPDX-License-Identifier: Apache-2.0
#version 450
layout(local_size_x = 32) in;
layout(constant_id = 0) const uint distance = 0;
layout(set = 0, binding = 0, std430) buffer In { uint inputs[]; };
layout(set = 0, binding = 1, std430) buffer Out { uint outputs[]; };

shared uint numbers[33 * 32];

void main() { atomicOr(numbers[gl_LocalInvocationIndex * distance], 1); }
