// Integers and doubles become bfloat16 by way of f32 (SPV_KHR_bfloat16): these lie just beside the middle of two, which f32 has.
// test: buffers random:256 zero:256
#version 460
#extension GL_EXT_bfloat16 : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer Source { uint src[]; };
layout(binding = 1) buffer Result { uint dst[]; };

uint bits(bfloat16_t x) { return uint(bfloat16BitsToUintEXT(x)); }

void main() {
    uint me = gl_LocalInvocationIndex;
    // Some bits of a number, then a half of its unit, then a bit far below.
    uint odd = src[me] & 0x7F, sign = src[me] >> 31;
    uint middle = (0x80 | odd) << 17;
    uint below = me % 3;  // 1: the middle itself
    uint word = middle + 0x10000 + below - 1;
    int number = sign != 0 ? -int(word) : int(word);
    uint64_t wide = (uint64_t(middle + 0x10000) << (me % 31)) + below - 1;
    int64_t signedWide = sign != 0 ? -int64_t(wide) : int64_t(wide);
    double exact = double(middle + 0x10000) + (double(below) - 1.0lf) * 1.0e-6lf;
    double scaled = exact * (sign != 0 ? -0.125lf : 1.0e-28lf);
    dst[me * 8 + 0] = bits(bfloat16_t(word));
    dst[me * 8 + 1] = bits(bfloat16_t(number));
    dst[me * 8 + 2] = bits(bfloat16_t(wide));
    dst[me * 8 + 3] = bits(bfloat16_t(signedWide));
    dst[me * 8 + 4] = bits(bfloat16_t(exact));
    dst[me * 8 + 5] = bits(bfloat16_t(scaled));
    // Denormals of bfloat16, zeros, and what is beyond it.
    dst[me * 8 + 6] = bits(bfloat16_t(double(odd) * packDouble2x32(uvec2(src[me + 64], 0x37800000 + (me << 16)))));
    dst[me * 8 + 7] = bits(bfloat16_t(packDouble2x32(uvec2(src[me + 96], src[me + 128]))));
}
