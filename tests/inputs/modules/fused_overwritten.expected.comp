// The reference of fused_overwritten.
#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 1) in;
layout(binding = 0) readonly buffer Source { float16_t src[]; };
layout(binding = 1) buffer Results { float results[]; };

void main() {
    for (uint row = 0; row < 16; ++row) for (uint n = 0; n < 32; ++n) {
        float sum = 0.0;
        for (uint k = 0; k < 64; ++k) sum += float(src[row * 64 + k]) * float(src[1024 + k * 32 + n]);
        results[row * 32 + n] = sum;
    }
}
