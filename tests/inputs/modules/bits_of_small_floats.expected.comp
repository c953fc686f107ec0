// The reference of bits_of_small_floats.
#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_8bit_storage : require
layout(local_size_x = 1) in;
layout(binding = 0) readonly buffer Source { uint8_t src[]; };
layout(binding = 1) buffer Result { uint8_t dst[]; };
void main() {
    for (uint e = gl_WorkGroupID.x * 64, end = e + 64; e < end; ++e) {
        dst[e] = dst[256 + e] = dst[512 + e] = src[e];
        dst[768 + e] = src[256 + e];
        dst[1024 + e] = uint8_t(uint(src[e]) ^ 128u);
        dst[1280 + e] = uint8_t(uint(src[256 + e]) ^ 128u);
    }
}
