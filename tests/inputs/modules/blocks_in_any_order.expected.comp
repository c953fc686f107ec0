// The reference of blocks_in_any_order.
#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 1) in;
layout(binding = 0) readonly buffer Source { float16_t src[]; };
layout(binding = 1) buffer Result { float dst[]; };
float product(uint at, bool transposesLeft, bool transposesRight, uint e) {
    float sum = 0.0;
    for (uint k = 0; k < 16; ++k) {
        uint left = transposesLeft ? k * 16 + e / 16 : e / 16 * 16 + k;
        uint right = transposesRight ? e % 16 * 16 + k : k * 16 + e % 16;
        sum += float(src[at + left]) * float(src[at + right]);
    }
    return sum;
}
void main() {
    for (uint e = 0; e < 256; ++e) {
        float sum = 0.0;
        for (uint i = 0; i < 5; ++i) {
            if (i == 0 || i == 2) sum = product(i * 256, false, true, e) + 1.0 + sum;
            else if (i == 3) sum = sum + sum;
            else sum += product(i * 256, true, false, e);
        }
        dst[e] = sum;
    }
}
