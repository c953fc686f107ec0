// SPDX-License-Identifier: Apache-2.0
//
// One training step's forward and backward pass: each invocation takes a pixel at random and adds
// its gradients to those of all.
#version 460
#pragma use_vulkan_memory_model
#extension GL_GOOGLE_include_directive : require
#include "network.glsl"

layout(set = 0, binding = 1, scalar) buffer Gradients { float gradients[]; };
layout(set = 0, binding = 2, scalar) readonly buffer Image { float image[]; };
layout(set = 0, binding = 3, scalar) buffer Loss { float loss[]; };

// The same in `gradients`.
layout(constant_id = 7) const uint kGradient0 = 0;
layout(constant_id = 8) const uint kGradient1 = 0;
layout(constant_id = 9) const uint kGradient2 = 0;
layout(constant_id = 10) const uint kBiasGradient0 = 0;
layout(constant_id = 11) const uint kBiasGradient1 = 0;
layout(constant_id = 12) const uint kBiasGradient2 = 0;

layout(push_constant) uniform Push {
    uint seed;
    float scale;  // of the gradients, so that halves hold them
} push;

const int kLayout = gl_CooperativeVectorMatrixLayoutTrainingOptimalNV;
const int kFloat = gl_ComponentTypeFloat32NV;

uint hash(uint x) {
    x = (x ^ (x >> 16)) * 0x7feb352du;
    x = (x ^ (x >> 15)) * 0x846ca68bu;
    return x ^ (x >> 16);
}

// 1 where a rectified value let the gradient through, else 0.
Hidden gate(Hidden v) { return step(Hidden(float16_t(6e-8)), v); }

void main() {
    const uint random = hash(gl_GlobalInvocationID.x + hash(push.seed));
    const uint pixel = random % (kWidth * kWidth);
    const Input x = encode(uvec2(pixel % kWidth, pixel / kWidth));

    Hidden a, b;
    Output y;
    coopVecMatMulAddNV(a, x, kHalf, parameters, kWeights0, kHalf, parameters, kBias0, kHalf,
                       kHidden, kInputs, kLayout, false, 0);
    a = relu(a);
    coopVecMatMulAddNV(b, a, kHalf, parameters, kWeights1, kHalf, parameters, kBias1, kHalf,
                       kHidden, kHidden, kLayout, false, 0);
    b = relu(b);
    coopVecMatMulAddNV(y, b, kHalf, parameters, kWeights2, kHalf, parameters, kBias2, kHalf,
                       kOutputs, kHidden, kLayout, false, 0);

    Output error;
    float squares = 0;
    for (uint i = 0; i < kOutputs; ++i) {
        const float difference = float(y[i]) - image[pixel * kOutputs + i];
        squares += difference * difference;
        error[i] = float16_t(difference * push.scale);
    }
    coopVecReduceSumAccumulateNV(coopvecNV<float, 1>(squares), loss, 0);

    coopVecOuterProductAccumulateNV(error, b, gradients, kGradient2, 0, kLayout, kFloat);
    coopVecReduceSumAccumulateNV(coopvecNV<float, kOutputs>(error), gradients, kBiasGradient2);
    Hidden d;
    coopVecMatMulNV(d, error, kHalf, parameters, kWeights2, kHalf, kHidden, kOutputs, kLayout,
                    true, 0);
    d = d * gate(b);
    coopVecOuterProductAccumulateNV(d, a, gradients, kGradient1, 0, kLayout, kFloat);
    coopVecReduceSumAccumulateNV(coopvecNV<float, kHidden>(d), gradients, kBiasGradient1);
    Hidden e;
    coopVecMatMulNV(e, d, kHalf, parameters, kWeights1, kHalf, kHidden, kHidden, kLayout, true, 0);
    e = e * gate(a);
    coopVecOuterProductAccumulateNV(e, x, gradients, kGradient0, 0, kLayout, kFloat);
    coopVecReduceSumAccumulateNV(coopvecNV<float, kHidden>(e), gradients, kBiasGradient0);
}
