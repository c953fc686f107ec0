// SPDX-License-Identifier: Apache-2.0
//
// Three layers of SIZE x SIZE f16 weights with biases, each followed by max(x, 0). This shader is for
// creating pipelines; apart from the code for cooperative vectors it is short.
//
// -D ROW_MAJOR   row-major weights
// -D OPTIMAL     weights in the device's inferencing-optimal layout
// -D TRAINING    row-major weights, and each layer's gradients: outer products and sums
#version 460
#pragma use_vulkan_memory_model
#extension GL_NV_cooperative_vector : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require

#ifdef OPTIMAL
#define LAYOUT gl_CooperativeVectorMatrixLayoutInferencingOptimalNV
#else
#define LAYOUT gl_CooperativeVectorMatrixLayoutRowMajorNV
#endif
#define F16 gl_ComponentTypeFloat16NV

const uint kLayers = 3, kLayerBytes = SIZE * SIZE * 2, kVectorBytes = SIZE * 2;

layout(local_size_x = 32) in;
layout(set = 0, binding = 0) readonly buffer Weights { float16_t weights[]; };
layout(set = 0, binding = 1) readonly buffer Inputs { float16_t inputs[]; };
layout(set = 0, binding = 2) buffer Outputs { float16_t outputs[]; };
layout(set = 0, binding = 3) buffer Gradients { float16_t gradients[]; };

void main() {
    const uint own = gl_GlobalInvocationID.x * kVectorBytes;
    coopvecNV<float16_t, SIZE> v;
    coopVecLoadNV(v, inputs, own);
    [[unroll]] for (uint l = 0; l < kLayers; ++l) {
        coopvecNV<float16_t, SIZE> result;
        coopVecMatMulAddNV(result, v, F16, weights, l * kLayerBytes, F16, weights,
                           kLayers * kLayerBytes + l * kVectorBytes, F16, SIZE, SIZE, LAYOUT, false,
                           kVectorBytes);
#ifdef TRAINING
        coopVecOuterProductAccumulateNV(result, v, gradients, l * kLayerBytes, 0,
                                        gl_CooperativeVectorMatrixLayoutTrainingOptimalNV, F16);
        coopVecReduceSumAccumulateNV(result, gradients, kLayers * kLayerBytes + l * kVectorBytes);
#endif
        v = max(result, coopvecNV<float16_t, SIZE>(float16_t(0)));
    }
    coopVecStoreNV(v, outputs, own);
}
