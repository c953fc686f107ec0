// SPDX-License-Identifier: Apache-2.0
#version 450
layout(local_size_x = 2) in;
struct Inner { uint a; uvec2 b; };
struct Outer { uint first; Inner inner[2]; uint last; };
layout(set = 0, binding = 0, std430) buffer In { Outer inputs[]; };
layout(set = 0, binding = 1, std430) buffer Out { Outer outputs[]; };

void main() { outputs[gl_LocalInvocationIndex] = inputs[1 - gl_LocalInvocationIndex]; }
