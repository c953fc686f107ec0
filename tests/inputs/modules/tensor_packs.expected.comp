// The reference of tensor_packs.
#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
layout(local_size_x = 1) in;
layout(binding = 0) readonly buffer Bytes { uint8_t bytes[]; };
layout(binding = 1) readonly buffer Halves { float16_t halves[]; };
layout(binding = 2) buffer Sums { uint sums[]; };
layout(binding = 3) buffer Result { float16_t result[]; };
layout(push_constant) uniform Push { uint depth, width; };

void main() {
    for (uint r = 0; r < 32; ++r) for (uint c = 0; c < 32; ++c) {
        uint ofBytes[2] = {0u, 0u};
        float ofHalves[2] = {0.0, 0.0};
        for (uint k = 0; k < 48; ++k) {
            const uint places[2] = {2048 + c * 48 + k, 2048 + k * 32 + c};
            for (uint i = 0; i < 2; ++i) {
                ofBytes[i] += uint(bytes[r * 48 + k]) * uint(bytes[places[i]]);
                ofHalves[i] += float(halves[r * 48 + k]) * float(halves[places[i]]);
            }
        }
        sums[r * 32 + c] = ofBytes[0];
        sums[1024 + r * 32 + c] = ofBytes[1];
        result[r * 32 + c] = float16_t(ofHalves[0]);
        result[1024 + c * 32 + r] = float16_t(ofHalves[1]);
    }
}
