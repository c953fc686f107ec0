// The reference of lengths_of_tiles.
#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 1) in;
layout(binding = 0) readonly buffer Source { float16_t src[]; };
layout(binding = 1) buffer Result { float dst[]; };
void main() {
    for (uint row = 0; row < 32; ++row) {
        for (uint column = 0; column < 32; ++column) {
            float sum = 1.0;
            for (uint k = 0; k < 16; ++k) sum += float(src[row * 16 + k]) * float(src[512 + k * 32 + column]);
            dst[row * 32 + column] = sum * 2.0;
        }
    }
}
