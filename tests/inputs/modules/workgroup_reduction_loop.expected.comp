// The reference of workgroup_reduction_loop.
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
    for (uint r = 0; r < 32; ++r) {
        float m[32];
        for (uint c = 0; c < 32; ++c) {
            m[c] = 0.0;
            for (uint k = 0; k < 32; ++k) m[c] += float(src[r * 32 + k]) * float(src[1024 + k * 32 + c]);
        }
        for (uint s = 0; s < steps; ++s) {
            float total = 0.0;
            for (uint c = 0; c < 32; ++c) total += m[c];
            for (uint c = 0; c < 32; ++c) m[c] = m[c] - total - (r > c ? float(s) : 0.0);
        }
        for (uint c = 0; c < 32; ++c) dst[r * 32 + c] = m[c];
    }
}
