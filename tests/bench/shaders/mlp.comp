// SPDX-License-Identifier: Apache-2.0
//
// A network of 3 layers of 64 x 64 f16 weights, each followed by max(x, 0), applied over and over
// to one vector an invocation.
//
// -D ROW_MAJOR   cooperative vectors, row-major weights
// -D DIVERGING   the same, but parts of a subgroup read copies of the weights
// -D OPTIMAL     weights in the device's inferencing-optimal layout
// -D PLAIN       no cooperative vectors: loops, with wide loads of the weights
#version 460
#pragma use_vulkan_memory_model
#ifndef PLAIN
#extension GL_NV_cooperative_vector : require
#endif
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require

const uint kLayers = 3, kSize = 64;
// The size of one layer's weights, and of one copy of all weights.
layout(constant_id = 0) const uint kLayerBytes = kSize * kSize * 2;
// Copies of the weights that a subgroup reads.
layout(constant_id = 1) const uint kCopies = 2;

layout(local_size_x = 128) in;
layout(set = 0, binding = 0) readonly buffer Weights { float16_t weights[]; };
layout(set = 0, binding = 0) readonly buffer Weights8 { uvec4 weights8[]; };
layout(set = 0, binding = 1) readonly buffer Inputs { f16vec2 inputs[]; };
layout(set = 0, binding = 2) buffer Outputs { f16vec2 outputs[]; };
layout(push_constant) uniform Parameters { uint repetitions, inputMask; };

#ifdef PLAIN

float16_t product(f16vec2 v[kSize / 2], uint first) {
    f16vec2 sum = f16vec2(0);
    [[unroll]] for (uint i = 0; i < kSize / 8; ++i) {
        const uvec4 w = weights8[first + i];
        sum = fma(unpackFloat2x16(w.x), v[4 * i], sum);
        sum = fma(unpackFloat2x16(w.y), v[4 * i + 1], sum);
        sum = fma(unpackFloat2x16(w.z), v[4 * i + 2], sum);
        sum = fma(unpackFloat2x16(w.w), v[4 * i + 3], sum);
    }
    return max(sum.x + sum.y, float16_t(0));
}

void layer(inout f16vec2 v[kSize / 2], uint layer) {
    f16vec2 result[kSize / 2];
    for (uint pair = 0; pair < kSize / 2; ++pair) {
        const uint first = (layer * kSize + 2 * pair) * kSize / 8;
        result[pair] = f16vec2(product(v, first), product(v, first + kSize / 8));
    }
    v = result;
}

void main() {
    const uint invocation = gl_GlobalInvocationID.x;
    f16vec2 v[kSize / 2];
    [[unroll]] for (uint i = 0; i < kSize / 2; ++i)
        v[i] = inputs[(invocation & inputMask) * (kSize / 2) + i];
    for (uint repetition = 0; repetition < repetitions; ++repetition)
        for (uint l = 0; l < kLayers; ++l) layer(v, l);
    [[unroll]] for (uint i = 0; i < kSize / 2; ++i) outputs[invocation * (kSize / 2) + i] = v[i];
}

#else

#ifdef OPTIMAL
#define LAYOUT gl_CooperativeVectorMatrixLayoutInferencingOptimalNV
#else
#define LAYOUT gl_CooperativeVectorMatrixLayoutRowMajorNV
#endif
#define VECTOR coopvecNV<float16_t, kSize>

void main() {
    const uint invocation = gl_GlobalInvocationID.x;
#ifdef DIVERGING
    const uint copy =
        gl_SubgroupInvocationID * kCopies / gl_SubgroupSize * (kLayers * kLayerBytes);
#else
    const uint copy = 0;
#endif
    VECTOR v;
    for (uint i = 0; i < kSize / 2; ++i) {
        const f16vec2 pair = inputs[(invocation & inputMask) * (kSize / 2) + i];
        v[2 * i] = pair.x;
        v[2 * i + 1] = pair.y;
    }
    for (uint repetition = 0; repetition < repetitions; ++repetition) {
        [[unroll]] for (uint l = 0; l < kLayers; ++l) {
            VECTOR result;
            coopVecMatMulNV(result, v, gl_ComponentTypeFloat16NV, weights, copy + l * kLayerBytes,
                            gl_ComponentTypeFloat16NV, kSize, kSize, LAYOUT, false, kSize * 2);
            v = max(result, VECTOR(float16_t(0)));
        }
    }
    for (uint i = 0; i < kSize / 2; ++i)
        outputs[invocation * (kSize / 2) + i] = f16vec2(v[2 * i], v[2 * i + 1]);
}
#endif
