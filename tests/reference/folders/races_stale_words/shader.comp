// SPDX-License-Identifier: Apache-2.0
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 4) in;
layout(set = 0, binding = 0, std430) buffer Numbers { u64vec2 numbers; };
layout(set = 0, binding = 1, std430) buffer Out { u64vec2 outputs; };

void main() {
    if (gl_LocalInvocationIndex == 0) numbers = u64vec2(0x3C00000032ul, 0x5000000046ul);
    if (gl_LocalInvocationIndex == 1) outputs = numbers;
}
