// The reference of converted_stores.
#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 1) in;
layout(binding = 0) readonly buffer Source { float16_t src[]; };
layout(binding = 1) buffer Result { float dst[]; };
layout(binding = 2) buffer Halves { float16_t halves[]; };
layout(push_constant) uniform Push { uint rows, first, second; };
float at(uint row, uint column) { return row < rows ? float(src[row * 64 + column]) : 0.0; }

void main() {
    for (uint r = 0; r < 64; ++r) for (uint c = 0; c < 64; ++c) {
        const uint place = r * 64 + c;
        const float both = at(r, c) + at(r + 5, c);
        if (r < rows) dst[first + place] = at(r, c);
        if (r + 1 < rows) dst[second + place + 64] = at(r + 5, c);
        if (r + 2 < rows && c + 4 < 64) dst[second + first + place + 132] = at(r, c);
        if (r < rows) dst[place] = both;
        if (r + 3 < rows) halves[place + 192] = float16_t(both);
    }
}
