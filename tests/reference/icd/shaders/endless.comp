// SPDX-License-Identifier: Apache-2.0
// Does not end while the first word is not 0.
#version 450

layout(local_size_x = 32) in;
layout(set = 0, binding = 0, std430) buffer Flags { uint goesOn; uint count; };

void main() {
    uint steps = 0;
    while (goesOn != 0) ++steps;
    if (gl_LocalInvocationIndex == 0) count = steps;
}
