// The reference of large_matrix_product.
#version 460
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
layout(local_size_x = 1) in;
layout(binding = 0) readonly buffer Source { float16_t src[]; };
layout(binding = 1) buffer Result { float dst[]; };
layout(push_constant) uniform Push { uint steps, stride; };
layout(binding = 2) buffer Copy { float16_t copy[]; };
float moved(uint i) {
    float m = float(src[i]), other = float(src[1024 + i]), kept = m;
    for (uint s = 0; s < 64; ++s) {
        if ((s & 3) == 1) continue;
        if ((s & 4) != 0) m += other; else kept = m;
        if (s % 5 == 0) m = -m;
        if (s % 5 == 0 || s % 5 == 2) other = kept;
        else if (s % 5 == 3) other = float(src[s * 32 + i]);
        else m -= kept;
        if (s >= steps) break;
    }
    return m;
}
void main() {
    for (uint row = 0; row < 32; ++row) {
        float sums[32];
        for (uint column = 0; column < 32; ++column) sums[column] = 0.0;
        for (uint k = 0; k < 32; ++k) {
            float m = moved(row * 32 + k);
            copy[row * 32 + k] = float16_t(m);
            for (uint column = 0; column < 32; ++column) {
                sums[column] += m * float(src[2048 + k * 32 + column]);
            }
        }
        for (uint column = 0; column < 32; ++column) dst[row * 32 + column] = sums[column];
    }
}
