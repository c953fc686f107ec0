// Each invocation has buffers of its own in a descriptor heap.
// test: heap 66
#version 460
#extension GL_EXT_descriptor_heap : require
#extension GL_EXT_nonuniform_qualifier : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_NV_cooperative_vector : require
layout(local_size_x = 64) in;
layout(descriptor_heap) readonly buffer Weights { uint w[]; } weights[];
layout(descriptor_heap) buffer Halves { float16_t h[]; } halves[];
void main() {
    const uint lane = gl_LocalInvocationIndex;
    coopvecNV<float16_t, 16> x, y;
    coopVecLoadNV(x, halves[nonuniformEXT(lane)].h, 32 * lane);
    for (int layer = 0; layer < 3; ++layer) {
        coopVecMatMulAddNV(y, x, gl_ComponentTypeFloat16NV, weights[nonuniformEXT(lane + layer)].w, 0,
                           gl_ComponentTypeFloat16NV, halves[layer].h, 512,
                           gl_ComponentTypeFloat16NV, 16, 16,
                           gl_CooperativeVectorMatrixLayoutInferencingOptimalNV, false, 0);
        x = clamp(y, coopvecNV<float16_t, 16>(0.0hf), coopvecNV<float16_t, 16>(4.0hf));
    }
    coopVecReduceSumAccumulateNV(x, halves[nonuniformEXT(lane ^ 1)].h, 8192);
    coopVecStoreNV(x, halves[nonuniformEXT(lane + 1)].h, 12288 + 32 * lane);
}
