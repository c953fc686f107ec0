// SPDX-License-Identifier: Apache-2.0
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
layout(local_size_x = 4) in;
layout(set = 0, binding = 0, std430) buffer In { u8vec4 bytes[4]; i16vec2 shorts[4]; };
layout(set = 0, binding = 1, std430) buffer Out { uint8_t outBytes[16]; int16_t outShorts[8]; int outs[8]; };

void main() {
    uint i = gl_LocalInvocationIndex;
    u8vec4 x = bytes[i];
    i16vec2 y = shorts[i];
    outBytes[i * 4 + i] = x[3 - i] + uint8_t(200);
    outBytes[i * 4 + (i ^ 1)] = uint8_t(y.x);
    outShorts[i * 2 + (i & 1)] = y[1 - (i & 1)] * int16_t(3);
    outs[i] = int(y.y) >> 2;
    outs[i + 4] = int(int8_t(x.y)) - int(x.z);
}
