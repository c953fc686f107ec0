// SPDX-License-Identifier: Apache-2.0
#version 460
#extension GL_EXT_shader_atomic_float : require
layout(local_size_x = 128) in;
layout(binding = 0) readonly buffer A { uint a[]; };
layout(binding = 1) buffer C { float c[]; };

void main() {
    atomicAdd(c[gl_LocalInvocationIndex % 8], float(a[gl_LocalInvocationIndex]));
}
