// The reference of fused_network.
#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 1) in;
layout(binding = 0) readonly buffer Inputs { float16_t inputs[]; };
layout(binding = 1) readonly buffer Weights { float16_t weights[]; };
layout(binding = 2) buffer Results { float results[]; };
uint hidden[128], both[32], next[64];

uint small(float x, uint place) { return (uint(abs(x)) + place) & 3u; }

void main() {
    for (uint row = 0; row < 16; ++row) {
        for (uint n = 0; n < 128; ++n) {
            float sum = 0.0;
            for (uint k = 0; k < 32; ++k) sum += float(inputs[row * 32 + k]) * float(weights[k * 128 + n]);
            hidden[n] = small(sum, row);
        }
        for (uint n = 0; n < 32; ++n) {
            float sum = 1.0;
            for (uint k = 0; k < 128; ++k)
                sum += float(hidden[k]) * (float(weights[4096 + n * 128 + k]) + float(weights[8192 + k * 32 + n]));
            results[row * 32 + n] = sum;
            both[n] = small(sum, row);
        }
        for (uint turn = 0; turn < 2; ++turn) {
            for (uint n = 0; n < 64; ++n) {
                float sum = float(turn);
                for (uint k = 0; k < 32; ++k) sum += float(both[k]) * float(weights[12288 + turn * 2048 + k * 64 + n]);
                next[n] = small(sum, n);
            }
            for (uint n = 0; n < 16; ++n) {
                float sum = 0.0;
                for (uint k = 0; k < 64; ++k) sum += float(next[k]) * float(weights[12288 + turn * 1024 + n * 64 + k]);
                results[512 + turn * 256 + row * 16 + n] = sum;
            }
        }
    }
}
