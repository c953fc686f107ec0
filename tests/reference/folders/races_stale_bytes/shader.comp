// SPDX-License-Identifier: Apache-2.0
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require
layout(local_size_x = 8) in;
layout(set = 0, binding = 0, std430) buffer Out { uint outputs[]; };
shared u8vec4 words[8];

void main() {
    uint i = gl_LocalInvocationIndex;
    words[i] = u8vec4(1, 2, 3, 4);
    barrier();
    words[i] = u8vec4(5, 6, 7, 8);
    barrier();
    words[i].y = uint8_t(9);
    words[i ^ 4].z = uint8_t(10);
    outputs[i] = pack32(words[i ^ 4]);
}
