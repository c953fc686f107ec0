// The reference of vector_functions.
#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer Source { float16_t src[]; };
layout(binding = 1) readonly buffer Random { uint random[]; };
layout(binding = 2) buffer Results { float16_t dst[]; };
layout(binding = 3) buffer Words { uint words[]; };
const float16_t HALF = 0.5hf, LOW = -0.25hf;
// Vulkan leaves signed remainders of negative numbers open (appendix "Vulkan Environment for SPIR-V").
// Of the numbers here no remainder is zero, whose sign SPIR-V leaves open.
const float16_t DIVISOR = 3.140625hf;
void main() {
    for (uint c = 0; c < 8; ++c) {
        const uint me = gl_LocalInvocationIndex * 312 + c;
        const float16_t x = src[gl_LocalInvocationIndex * 8 + c];
        const float16_t a = x * 0.140625hf, p = abs(a) + 1.0hf;
        dst[0 + me] = roundEven(a);
        dst[8 + me] = roundEven(a);
        dst[16 + me] = trunc(a);
        dst[24 + me] = abs(a);
        dst[32 + me] = sign(a);
        dst[40 + me] = floor(a);
        dst[48 + me] = ceil(a);
        dst[56 + me] = fract(a);
        dst[64 + me] = radians(a);
        dst[72 + me] = degrees(a);
        dst[80 + me] = sin(a);
        dst[88 + me] = cos(a);
        dst[96 + me] = tan(a);
        dst[104 + me] = asin(a);
        dst[112 + me] = acos(a);
        dst[120 + me] = atan(a);
        dst[128 + me] = sinh(a);
        dst[136 + me] = cosh(a);
        dst[144 + me] = tanh(a);
        dst[152 + me] = asinh(a);
        dst[160 + me] = atanh(a);
        dst[168 + me] = exp(a);
        dst[176 + me] = exp2(a);
        dst[184 + me] = log(p);
        dst[192 + me] = log2(p);
        dst[200 + me] = sqrt(p);
        dst[208 + me] = inversesqrt(p);
        dst[216 + me] = acosh(p);
        dst[224 + me] = pow(p, a);
        dst[232 + me] = atan(a, p);
        dst[240 + me] = step(p, a);
        dst[248 + me] = min(p, a);
        dst[256 + me] = max(p, a);
        dst[264 + me] = mix(a, p, a);
        dst[272 + me] = smoothstep(HALF, p, a);
        dst[280 + me] = fma(a, p, a);
        dst[288 + me] = clamp(a, LOW, HALF);
        dst[296 + me] = x - DIVISOR * trunc(x / DIVISOR);
        dst[304 + me] = mod(x, DIVISOR);
    }
    for (uint c = 0; c < 4; ++c) {
        const uint me = gl_LocalInvocationIndex * 44 + c;
        const uint w = random[gl_LocalInvocationIndex * 4 + c];
        words[0 + me] = uint(abs(int(w)));
        words[4 + me] = uint(sign(int(w)));
        words[8 + me] = uint(findLSB(w));
        words[12 + me] = uint(findMSB(int(w)));
        words[16 + me] = uint(findMSB(w));
        words[20 + me] = bitfieldReverse(w);
        words[24 + me] = uint(bitCount(w));
        words[28 + me] = w % 7u;
        words[32 + me] = (w & 0x7fffffffu) % 7u;
        words[36 + me] = (w & 0x7fffffffu) % 7u;
        words[40 + me] = floatBitsToUint(ldexp(1.0, int(w & 7u)));
    }
}
