// The reference of arrays_meet.
#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 1) in;
layout(binding = 0) readonly buffer Source { float16_t src[]; };
layout(binding = 1) buffer Result { float dst[]; };
void main() {
    for (uint e = 0; e < 256; ++e) {
        float first = 0.0;
        for (uint k = 0; k < 16; ++k) first += float(src[e / 16 * 16 + k]) * float(src[256 + k * 16 + e % 16]);
        float sums[2] = {first, 0.0}, before[2] = {0.0, 0.0};
        for (uint i = 0; i < 5; ++i) {
            float now[2] = {sums[0], sums[1] + first};
            if ((i & 1) == 1) now = float[2](sums[1], sums[0] + first);
            float old[2] = before;
            before = sums;
            sums = i == 3 ? old : now;
        }
        dst[e] = sums[0];
        dst[256 + e] = sums[1];
        dst[512 + e] = before[1];
    }
}
