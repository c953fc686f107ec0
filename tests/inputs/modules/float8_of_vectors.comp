// Vectors of f16 as bits of E4M3, rounded and saturated: all exponents, numbers at and beside ties, infinities, NaN.
// SPIRV-Tools' loop peeling crashes where an id in a loop has a decoration, so there is none.
// test: groups 32
// test: buffers zero:1024 zero:1024
#version 460
#extension GL_EXT_float_e4m3 : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_8bit_storage : require
layout(local_size_x = 32) in;
layout(binding = 0) buffer Rounded { u8vec4 rounded[]; };
layout(binding = 1) buffer Saturated { u8vec4 saturated[]; };
const uint kLast[8] = uint[](0, 1, 0x20, 0x3F, 0x40, 0x41, 0x60, 0x7F);  // seven bits

float16_t number(uint n) {
    return uint16BitsToFloat16(uint16_t(n >> 4 << 7 | kLast[n >> 1 & 7] | n << 15));
}

void main() {
    uint place = gl_GlobalInvocationID.x;
    uint n = place * 4;
    f16vec4 halves = f16vec4(number(n), number(n + 1), number(n + 2), number(n + 3));
    rounded[place] = floate4m3BitsToUintEXT(fe4m3vec4(halves));
    fe4m3vec3 most;
    saturatedConvertEXT(most, halves.xyz);
    fe4m3vec2 last;
    saturatedConvertEXT(last, halves.zw);
    saturated[place] = u8vec4(floate4m3BitsToUintEXT(most), floate4m3BitsToUintEXT(last).y);
}
