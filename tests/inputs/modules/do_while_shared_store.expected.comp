// The reference of do_while_shared_store.
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
    for (uint r = 0; r < 16; ++r) for (uint c = 0; c < 16; ++c) {
        dst[r * 16 + c] = float((steps & 1) == 1 ? src[c * 16 + r] : src[r * 16 + c]);
    }
}
