// The reference of conversions_in_loops.
#version 460
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
layout(local_size_x = 1) in;
layout(binding = 0) readonly buffer Source { float16_t src[]; };
layout(binding = 1) buffer Result { float dst[]; };
layout(push_constant) uniform Push { uint steps, stride; };
void main() {
    float a[256], next[256];
    for (uint i = 0; i < 256; ++i) a[i] = float(src[i]);
    for (uint s = 0; s < steps; ++s) {
        for (uint r = 0; r < 16; ++r) for (uint c = 0; c < 16; ++c) {
            float sum = 0.0;
            for (uint k = 0; k < 16; ++k) sum += a[r * 16 + k] * float(src[512 + k * 16 + c]);
            next[r * 16 + c] = sign(sum);
        }
        a = next;
    }
    for (uint i = 0; i < 256; ++i) dst[i] = a[i];
}
