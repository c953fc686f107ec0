#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_scalar_block_layout : require
layout(local_size_x = 32) in;
layout(binding = 0, scalar) readonly buffer A { uint quants[]; };
layout(binding = 1, scalar) readonly buffer B { uint fractions[]; };
layout(binding = 2, scalar) buffer C { float results[]; };
const float kE2M1[8] = float[8](0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0);
float four(uint bits) { return (bits & 8) != 0 ? -kE2M1[bits & 7] : kE2M1[bits & 7]; }
float six(uint bits) {
    uint exponent = bits >> 2 & 7, mantissa = bits & 3;
    float value = exponent == 0 ? mantissa / 16.0 : ldexp(float(4 + mantissa), int(exponent) - 5);
    return (bits & 32) != 0 ? -value : value;
}
void main() {
    uint i = gl_LocalInvocationIndex;
    for (uint k = 0; k < 4; ++k) {
        uint block = quants[i * 4 + k];
        float scale = uintBitsToFloat((120 + (quants[(i + k) % 32] & 15)) << 23), sum = 0.0;
        for (uint j = 0; j < 4; ++j) {
            float low = four(block >> 8 * j & 15), high = four(block >> 8 * j + 4 & 15);
            sum += j == 2 ? (high - 4.0 * low) * scale : (low - 4.0 * high) * scale;
        }
        uint word = fractions[(i * 2 + k) % 64], at = (k + i) % 4;
        results[i * 8 + k] = sum;
        results[i * 8 + 4 + k] = six(block >> 6 * k & 63) + 64.0 * (int(word << 24 - 8 * at) >> 24) / 64.0;
    }
}
