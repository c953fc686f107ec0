// SPDX-License-Identifier: Apache-2.0
#version 450
layout(local_size_x = 1) in;
layout(set = 0, binding = 0, std430) buffer In { uvec4 head; uvec2 rest[]; } inputs;
layout(set = 0, binding = 1, std430) buffer Out { uint outputs[]; };

void main() { outputs[0] = inputs.rest.length(); }
