// The reference of bytes_do_while.
#version 460
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
layout(local_size_x = 1) in;
layout(binding = 0) readonly buffer Source { int8_t src[]; };
layout(binding = 1) buffer Result { int dst[]; };
layout(push_constant) uniform Push { uint steps, stride; };
void main() {
    int a[256], sum[256];
    for (uint i = 0; i < 256; ++i) { a[i] = int(src[i]); sum[i] = 0; }
    for (uint s = 0; s < steps; ++s) {
        for (uint i = 0; i < 256; ++i)
            for (uint k = 0; k < 16; ++k) sum[i] += a[i / 16 * 16 + k] * int(src[s * 256 + i % 16 * 16 + k]);
        for (uint i = 0; i < 256; ++i) a[i] = int(int8_t(sum[i]));
    }
    for (uint i = 0; i < 256; ++i) dst[i] = sum[i];
}
