// The reference of varying_shared_pointers.
#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 1) in;
layout(binding = 0) readonly buffer Source { float16_t src[]; };
layout(binding = 1) buffer Result { float dst[]; };
layout(binding = 2) readonly buffer Other { float16_t other[]; };
float left(bool second, uint at) { return float(second ? other[at] : src[at]); }
float stored[2][256];
void main() {
    float sums[256];
    for (uint e = 0; e < 256; ++e) sums[e] = 0.0;
    for (uint i = 0; i < 4; ++i) {
        bool swaps = (i & 1) == 1;
        for (uint e = 0; e < 256; ++e) {
            for (uint k = 0; k < 16; ++k) {
                sums[e] += left(swaps, e / 16 * 16 + k) * left(!swaps, 256 + k * 16 + e % 16);
            }
            stored[swaps ? 1 : 0][e] = sums[e];
        }
        // The first place at the start; behind odd steps it is the first one, too.
        for (uint e = 0; e < 256; ++e) {
            dst[256 + e] = stored[0][e % 16 * 16 + e / 16];
            sums[e] += dst[256 + e];
        }
    }
    for (uint e = 0; e < 256; ++e) dst[e] = sums[e];
}
