// SPDX-License-Identifier: Apache-2.0
//
// Draws the picture that the network learned: each invocation computes one pixel.
#version 460
#pragma use_vulkan_memory_model
#extension GL_GOOGLE_include_directive : require
#include "network.glsl"

layout(set = 0, binding = 2, scalar) writeonly buffer Image { float image[]; };

const int kLayout = gl_CooperativeVectorMatrixLayoutInferencingOptimalNV;

void main() {
    const uint pixel = gl_GlobalInvocationID.x;
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
    for (uint i = 0; i < kOutputs; ++i) image[pixel * kOutputs + i] = float(y[i]);
}
