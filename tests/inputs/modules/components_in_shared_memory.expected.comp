// The reference of components_in_shared_memory: the matrix is transposed.
#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 1) in;
layout(binding = 0) readonly buffer Source { float16_t src[]; };
layout(binding = 1) buffer Result { float16_t dst[]; };
void main() {
    for (uint row = 0; row < 16; ++row) {
        for (uint column = 0; column < 16; ++column) {
            dst[row * 16 + column] = src[256 + column * 16 + row];
        }
    }
}
