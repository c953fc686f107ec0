// The reference of vector_early_return.
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
    for (uint me = 0; me < 32; ++me) for (uint r = 0; r < 16; ++r) {
        uint kind = me % 4;
        float y = 0.0;
        for (uint k = 0; k < 16; ++k) y += float(weights[256 + k * 16 + r]) * float(inputs[me * 16 + k]);
        if (kind == 3) y = float(inputs[me * 16 + r]);
        else if (kind == 0) y = max(y, 0.0);
        else y = min(kind == 1 ? y + float(inputs[512 + r]) : y, 8.0);
        results[me * 16 + r] = float16_t(y);
    }
}
