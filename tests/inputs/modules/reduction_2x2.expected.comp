// The reference of reduction_2x2.
#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 1) in;
layout(binding = 0) readonly buffer Source { float src[]; };
layout(binding = 1) buffer Result { float dst[]; };
layout(binding = 2) buffer Halves { float16_t halves[]; };
layout(binding = 3) buffer Sums { float sums[]; };
layout(push_constant) uniform Push { uint step, stride; };

void main() {
    for (uint r = 0; r < 16; ++r) for (uint c = 0; c < 8; ++c) {
        const uint first = 2 * r * stride + 2 * c, below = first + stride;
        dst[r * 8 + c] = src[first] + src[first + 1] + src[below] + src[below + 1];
        halves[r * 8 + c] = float16_t(max(max(src[first], src[first + 1]), max(src[below], src[below + 1])));
    }
    for (uint i = 0; i < 64; ++i) sums[i] = float((i * 120) % step);
}
