// SPDX-License-Identifier: Apache-2.0
#version 450
layout(local_size_x = 32) in;
layout(constant_id = 0) const uint distance = 0;
layout(set = 0, binding = 0, std430) buffer In { uint inputs[256]; };

void main() { uint number = inputs[gl_LocalInvocationIndex * distance]; }
