// The reference of specialized_sizes.
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
    for (uint r = 0; r < 16; ++r) for (uint c = 0; c < 8; ++c) {
        float sum = 0.0;
        for (uint k = 0; k < 32 * steps; ++k) sum += float(src[r * 32 * steps + k]) * float(src[4096 + k * 8 + c]);
        dst[r * 8 + c] = sum;
    }
}
