// The reference of specialised_composites.
#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 1) in;
layout(binding = 0) readonly buffer Source { float16_t src[]; };
layout(binding = 1) buffer Result { float dst[]; };
void main() {
    for (uint e = 0; e < 256; ++e) {
        float sum = 3.0;
        for (uint k = 0; k < 16; ++k) sum += float(src[e / 16 * 16 + k]) * float(src[256 + k * 16 + e % 16]);
        dst[e] = sum;
    }
}
