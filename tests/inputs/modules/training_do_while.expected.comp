// The reference of training_do_while.
#version 460
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
layout(local_size_x = 1) in;
layout(binding = 0) buffer Gradients { float16_t gradients[]; };
layout(binding = 1) readonly buffer Inputs { float16_t inputs[]; };
layout(push_constant) uniform Push { uint steps; };
void main() {
    for (uint r = 0; r < 8; ++r) {
        float sum = float(gradients[r]);
        for (uint me = 0; me < 32; ++me) for (uint s = 0; s < steps; ++s) sum += float(inputs[(me + s * 16) * 8 + r]);
        gradients[r] = float16_t(sum);
    }
}
