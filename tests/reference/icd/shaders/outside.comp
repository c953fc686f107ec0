// SPDX-License-Identifier: Apache-2.0
// Reads behind the end of a buffer.
#version 450

layout(local_size_x = 1) in;
layout(set = 0, binding = 0, std430) buffer Result { uint result[]; };

void main() {
    result[0] = result[1000];
}
