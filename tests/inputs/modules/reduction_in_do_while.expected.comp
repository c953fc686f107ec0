// The reference of reduction_in_do_while.
#version 460
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
layout(local_size_x = 1) in;
layout(binding = 0) readonly buffer Source { float16_t src[]; };
layout(binding = 1) buffer Result { float dst[]; };
layout(push_constant) uniform Push { uint steps, stride; };
float element(uint a, uint b, uint r, uint c) {
    float sum = 0.0;
    for (uint k = 0; k < 16; ++k) sum += float(src[a + r * 16 + k]) * float(src[b + k * 16 + c]);
    return sum;
}
void main() {
    float m[256];
    for (uint i = 0; i < 256; ++i) m[i] = element(0, 256, i / 16, i % 16);
    for (uint s = 0; s < steps; ++s) {
        float rows[16], columns[16];
        for (uint i = 0; i < 16; ++i) {
            rows[i] = m[i * 16];
            columns[i] = 0.0;
            for (uint k = 0; k < 16; ++k) {
                rows[i] = max(rows[i], m[i * 16 + k]);
                columns[i] += m[k * 16 + i];
            }
        }
        for (uint i = 0; i < 256; ++i) m[i] = m[i] + rows[i / 16] - columns[i % 16];
    }
    for (uint i = 0; i < 256; ++i) dst[i] = m[i];
}
