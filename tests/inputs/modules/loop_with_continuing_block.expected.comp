// The reference of loop_with_continuing_block.
#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 1) in;
layout(binding = 0) readonly buffer Source { float16_t src[]; };
layout(binding = 1) buffer Result { float dst[]; };
float round(uint limit, float sum, uint e) {
    for (uint i = 0; i < 4; ++i) {
        if (i >= limit) return sum;
        for (uint k = 0; k < 16; ++k) {
            sum += float(src[i * 256 + e / 16 * 16 + k]) * float(src[i * 256 + k * 16 + e % 16]);
        }
    }
    return -sum;
}
void main() {
    for (uint e = 0; e < 256; ++e) dst[e] = round(16, round(3, 0.0, e), e);
}
