// The reference of float8_do_while.
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
    for (uint r = 0; r < 16; ++r) for (uint c = 0; c < 16; ++c) {
        float sum = 0.0;
        for (uint s = 0; s < steps; ++s) sum += element(s * 256, s * 128, r, c);
        dst[r * 16 + c] = sum;
    }
}
