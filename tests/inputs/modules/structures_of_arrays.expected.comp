// The reference of structures_of_arrays.
#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 1) in;
layout(binding = 0) readonly buffer Source { float16_t src[]; };
layout(binding = 1) buffer Result { float dst[]; };
void main() {
    for (uint e = 0; e < 256; ++e) {
        float cells[4] = {0.0, 0.0, 0.0, 0.0};
        for (uint n = 0; n < 4; ++n) {
            float first = cells[0];
            for (uint k = 0; k < 16; ++k) {
                cells[n] += float(src[n * 256 + e / 16 * 16 + k]) * float(src[n * 256 + e % 16 * 16 + k]);
            }
            cells[n] *= 2.0;
            cells[3] += first;
        }
        for (uint n = 0; n < 4; ++n) dst[n * 256 + e] = cells[n];
    }
}
