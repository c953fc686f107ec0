// The reference of floats_by_integer_instructions.
#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer Source { float16_t src[]; };
layout(binding = 1) buffer Results { float16_t dst[]; };
void main() {
    for (uint c = 0; c < 8; ++c) {
        const uint at = gl_LocalInvocationIndex * 8 + c;
        const float16_t x = src[at], y = src[256 + at];
        dst[at] = (y + y - x) * x / 4.0hf;
    }
}
