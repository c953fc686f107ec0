// SPDX-License-Identifier: Apache-2.0
#version 450
layout(local_size_x = 1) in;
layout(set = 0, binding = 0, std430) buffer In { uvec2 inputs; };
layout(set = 0, binding = 1, std430) buffer Out { uvec2 outputs; };

void main() { outputs = unpackDouble2x32(-packDouble2x32(inputs)); }
