// The reference of vector_do_while.
#version 460
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
layout(local_size_x = 1) in;
layout(binding = 0) readonly buffer Weights { float16_t weights[]; };
layout(binding = 1) readonly buffer Inputs { float16_t inputs[]; };
layout(binding = 2) buffer Results { float16_t results[]; };
layout(push_constant) uniform Push { uint steps; };
void main() {
    for (uint me = 0; me < 32; ++me) {
        float x[16], y[16];
        for (uint i = 0; i < 16; ++i) x[i] = float(inputs[me * 16 + i]);
        for (uint s = 0; s < steps + (me & 1); ++s) {
            for (uint r = 0; r < 16; ++r) {
                y[r] = 0.0;
                for (uint k = 0; k < 16; ++k) y[r] += float(weights[s * 256 + r * 16 + k]) * x[k];
            }
            for (uint i = 0; i < 16; ++i) x[i] = clamp(y[i], -2.0, 2.0);
        }
        for (uint i = 0; i < 16; ++i) results[me * 16 + i] = float16_t(x[i]);
    }
}
