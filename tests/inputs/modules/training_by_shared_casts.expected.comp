// The reference of training_by_shared_casts.
#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 1) in;
layout(binding = 0) readonly buffer Source { float16_t src[]; };
layout(binding = 1) buffer Results { float16_t dst[]; };
layout(binding = 2) buffer Copies { float16_t copies[]; };
void main() {
    for (uint c = 0; c < 8; ++c) {
        float16_t sum = 0.0hf;
        for (uint i = 0; i < 32; ++i) sum += src[i * 8 + c];
        for (uint line = 0; line < 24; ++line) dst[line * 8 + c] = 0.0hf;
        // The sums from byte 16 on, the four rows of the outer product from byte 32 on.
        for (uint line = 1; line < 6; ++line) dst[line * 8 + c] = sum;
        // Behind 64 and 8 elements, from byte 16 on.
        dst[64 + 64 + 8 + 8 + c] = sum;
        copies[c] = 0.0hf;
        copies[8 + c] = sum;
    }
}
