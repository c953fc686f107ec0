// The reference of nv_matrices_do_while.
#version 460
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
layout(local_size_x = 1) in;
layout(binding = 0) readonly buffer Source { float16_t src[]; };
layout(binding = 1) buffer Result { float dst[]; };
layout(push_constant) uniform Push { uint steps, stride; };
float b(uint step, uint row, uint column) { return float(src[step * 256 + 256 + column * 16 + row]); }
void main() {
    for (uint r = 0; r < 16; ++r) for (uint c = 0; c < 16; ++c) {
        float sum = 0.0;
        uint from = 99;
        for (uint s = 0; s < steps; ++s) {
            for (uint k = 0; k < 16; ++k)
                sum += (from == 99 ? float(src[r * 16 + k]) : b(from, r, k)) * b(s, k, c);
            if ((s & 1) == 0) from = s;
        }
        dst[r * 16 + c] = sum;
    }
}
