// SPDX-License-Identifier: Apache-2.0
#version 460
layout(vertices = 3) out;
layout(location = 0) out int x[];
layout(location = 1) patch out int sum;
void main() {
    x[gl_InvocationID] = gl_InvocationID * 2 + 5;
    barrier();
    if (gl_InvocationID == 1) sum = x[0] + x[1] + x[2];
}
