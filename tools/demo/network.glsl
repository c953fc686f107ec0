// SPDX-License-Identifier: Apache-2.0
//
// The network that learns an image: position -> sines and cosines -> two hidden layers -> colour.
// Included by the shaders; network.hpp has the same numbers.
#extension GL_NV_cooperative_vector : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_scalar_block_layout : require

const uint kOctaves = 5;
const uint kInputs = 4 * kOctaves;
const uint kHidden = 64;
const uint kOutputs = 3;

// Byte offsets of the layers' matrices and biases in `parameters`; set when a pipeline is made.
layout(constant_id = 1) const uint kWeights0 = 0;
layout(constant_id = 2) const uint kWeights1 = 0;
layout(constant_id = 3) const uint kWeights2 = 0;
layout(constant_id = 4) const uint kBias0 = 0;
layout(constant_id = 5) const uint kBias1 = 0;
layout(constant_id = 6) const uint kBias2 = 0;

layout(constant_id = 0) const uint kWidth = 64;
layout(local_size_x = 64) in;

#define Input coopvecNV<float16_t, kInputs>
#define Hidden coopvecNV<float16_t, kHidden>
#define Output coopvecNV<float16_t, kOutputs>

const int kHalf = gl_ComponentTypeFloat16NV;

layout(set = 0, binding = 0, scalar) readonly buffer Parameters { float16_t parameters[]; };

Input encode(uvec2 pixel) {
    const vec2 at = (vec2(pixel) + 0.5) / float(kWidth);
    Input result;
    float scale = 3.14159265;
    for (uint octave = 0; octave < kOctaves; ++octave) {
        result[4 * octave + 0] = float16_t(sin(at.x * scale));
        result[4 * octave + 1] = float16_t(cos(at.x * scale));
        result[4 * octave + 2] = float16_t(sin(at.y * scale));
        result[4 * octave + 3] = float16_t(cos(at.y * scale));
        scale *= 2;
    }
    return result;
}

Hidden relu(Hidden v) { return max(v, Hidden(float16_t(0))); }
