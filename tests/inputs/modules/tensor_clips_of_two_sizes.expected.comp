// The reference of tensor_clips_of_two_sizes.
#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 1) in;
layout(binding = 0) readonly buffer Source { float16_t src[]; };
layout(binding = 1) buffer Result { float dst[]; };
layout(push_constant) uniform Push { uint rows, columns; };
float at(uint row, uint column) { return row < rows && column < columns ? float(src[row * columns + column]) : 0.0; }

void main() {
    for (uint r = 0; r < rows; ++r) for (uint c = 0; c < columns; ++c) {
        const float loaded = at(r + 3, c + 2);
        if (r < 16) dst[r * columns + c] = loaded;
        dst[4096 + r * columns + c] = r < 16 ? loaded : 3.0;
    }
}
