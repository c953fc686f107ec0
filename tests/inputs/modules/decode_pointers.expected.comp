// The reference of decode_pointers.
#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 1) in;
layout(binding = 0) readonly buffer Source { float src[]; };
layout(binding = 1) buffer Result { float dst[]; };
void main() {
    for (uint row = 0; row < 16; ++row) {
        for (uint column = 0; column < 16; ++column) {
            uint at = row * 32 + 8 + column, inBlock = at % 4;
            if ((row & 3) == 1) inBlock = 2 + inBlock % 2;
            dst[row * 16 + column] = src[at / 4 * 4 + inBlock] * 2.0;
        }
    }
}
