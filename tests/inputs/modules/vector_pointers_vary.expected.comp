// The reference of vector_pointers_vary.
#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 1) in;
layout(binding = 0) readonly buffer Source { float16_t src[]; };
layout(binding = 1) buffer Result { float dst[]; };
layout(binding = 2) readonly buffer Other { float16_t other[]; };
float of(bool second, uint at) { return float(second ? other[at] : src[at]); }
void main() {
    for (uint row = 0; row < 4; ++row) {
        for (uint m = 0; m < 8; ++m) {
            float sum = 0.0, kept = 0.0;
            for (uint i = 0; i < 4; ++i) {
                bool odd = (i & 1) == 1, from = odd, to = !odd;
                sum += of(to, 32 + m);  // the bias at byte 64
                for (uint k = 0; k < 8; ++k) {
                    sum += of(odd ? from : to, i * 128 + m * 8 + k) * of(from, row * 8 + k);
                }
                kept = of(from, row * 8 + m);
            }
            dst[row * 8 + m] = sum + kept;
        }
    }
}
