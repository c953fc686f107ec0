// SPDX-License-Identifier: Apache-2.0
//
// Matrices, vectors and tensors in buffers of a descriptor heap (SPV_EXT_descriptor_heap). Which
// buffer it is, is known at run time. Drivers without heaps run the rewritten shaders on an array
// of descriptors.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>

#include "harness/compute.hpp"
#include "harness/heap_shader.hpp"
#include "harness/reference.hpp"
#include "harness/requirement.hpp"
#include "harness/rewritten.hpp"

namespace coopvk::test::descriptor_heap_test {
namespace {

constexpr const char* kHeader = R"(#version 460
#extension GL_EXT_descriptor_heap : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_nonuniform_qualifier : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_cooperative_matrix : require
#extension GL_NV_cooperative_matrix2 : require
#extension GL_NV_cooperative_vector : require
layout(local_size_x_id = 0) in;
layout(push_constant) uniform Push { uint n[4]; } push;
layout(descriptor_heap, scalar) buffer Halves { float16_t h[]; } halves[];
layout(descriptor_heap, scalar) readonly buffer Words { uint w[]; } words[];
)";

// f16 of integers from 0 to 3.
Bytes smallHalves(Rng& rng) {
    Bytes bytes(8192);
    for (size_t at = 0; at < bytes.size(); at += 2) {
        const auto number = static_cast<_Float16>(rng.range(0, 3));
        std::memcpy(bytes.data() + at, &number, sizeof(number));
    }
    return bytes;
}

// With 64-bit indexing or without: the code for either has the same results.
class DescriptorHeap : public testing::TestWithParam<bool> {
 protected:
    // Runs a body on the heap of two buffers.
    static void expectRight(std::string_view seed, const std::string& body) {
        rewrite::DeviceTraits device = gpuWithDots(0);
        device.shaderIntegerDotProduct = false;
        device.bufferDeviceAddress = true;
        device.shaderInt64 = GetParam();
        device.maxSubgroupSize = device.minSubgroupSize;
        const HeapArray array = {kArrayBinding, 2};
        const Words original = compileGlsl(kHeader + body);
        const Words words = heapAsArray(rewrittenFor(device, original, GetParam()), array);
        Rng rng(seed);
        Dispatch dispatch;
        dispatch.buffers.assign(4, Bytes(16));
        for (int i = 0; i < 2; ++i) dispatch.buffers.push_back(smallHalves(rng));
        dispatch.push = pushWords({0, 1, 0, 1});
        const auto found = run(words, dispatch);
        const auto want = expectedOf(heapAsArray(original, array), dispatch);
        for (const size_t i : {4, 5}) EXPECT_EQ(difference(found[i], want[i]), "") << i;
    }

    void SetUp() override {
        if (GetParam()) COOPVK_REQUIRE(Requirement::kInt64);
    }
};

// y = W x + b for each lane's x at 32 * lane of buffer 1; W and b in buffer 0.
TEST_P(DescriptorHeap, VectorProducts) {
    expectRight("VectorProducts", R"(void main() {
    const uint lane = gl_LocalInvocationIndex;
    coopvecNV<float16_t, 16> x, y;
    coopVecLoadNV(x, halves[push.n[1]].h, 32 * lane);
    coopVecMatMulAddNV(y, x, gl_ComponentTypeFloat16NV, words[push.n[0]].w, 0,
                       gl_ComponentTypeFloat16NV, halves[push.n[2]].h, 1024,
                       gl_ComponentTypeFloat16NV, 16, 16, gl_CooperativeVectorMatrixLayoutRowMajorNV,
                       false, 32);
    coopVecStoreNV(y, halves[push.n[1]].h, 4096 + 32 * lane);
})");
}

// Each lane's own buffer.
TEST_P(DescriptorHeap, NonUniformIndices) {
    if (std::getenv("COOPVK_TEST_VARIANT") != nullptr)
        GTEST_SKIP() << "spirv-opt joins access chains without their NonUniform";
    expectRight("NonUniformIndices", R"(void main() {
    const uint lane = gl_LocalInvocationIndex, own = lane % 2;
    coopvecNV<float16_t, 16> x;
    coopVecLoadNV(x, halves[nonuniformEXT(own)].h, 32 * lane);
    coopVecStoreNV(x, halves[nonuniformEXT(1 - own)].h, 4096 + 32 * lane);
})");
}

TEST_P(DescriptorHeap, Training) {
    expectRight("Training", R"(void main() {
    coopvecNV<float16_t, 16> x;
    coopVecLoadNV(x, halves[push.n[0]].h, 32 * gl_LocalInvocationIndex);
    coopVecReduceSumAccumulateNV(x, halves[push.n[1]].h, 128);
    coopVecOuterProductAccumulateNV(x, x, halves[push.n[3]].h, 1024, 32,
        gl_CooperativeVectorMatrixLayoutRowMajorNV, gl_ComponentTypeFloat16NV);
})");
}

TEST_P(DescriptorHeap, Matrices) {
    expectRight("Matrices", R"(void main() {
    coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA> m;
    coopMatLoad(m, words[push.n[1]].w, 128, 8, gl_CooperativeMatrixLayoutRowMajor);
    coopMatStore(m, halves[push.n[0]].h, 512, 16, gl_CooperativeMatrixLayoutRowMajor);
})");
}

TEST_P(DescriptorHeap, Tensors) {
    expectRight("Tensors", R"(void main() {
    coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> m;
    tensorLayoutNV<2> t = createTensorLayoutNV(2);
    t = setTensorLayoutDimensionNV(t, 16, 16);
    coopMatLoadTensorNV(m, halves[push.n[1]].h, 256, t);
    coopMatStoreTensorNV(m, halves[push.n[0]].h, 512, t);
})");
}

TEST_P(DescriptorHeap, DecodeFunctions) {
    expectRight("DecodeFunctions", R"(
layout(buffer_reference, scalar, buffer_reference_align = 2) buffer Ref { float16_t pair[2]; };
float16_t pairSum(Ref b, uint i) { return b.pair[i] + b.pair[0]; }
float16_t decode(const in Ref b, const in uint block[2], const in uint inBlock[2]) {
    return pairSum(b, inBlock[1]);
}
void main() {
    coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> m;
    tensorLayoutNV<2> t = createTensorLayoutNV(2);
    t = setTensorLayoutBlockSizeNV(t, 1, 2);
    t = setTensorLayoutDimensionNV(t, 16, 16);
    coopMatLoadTensorNV(m, halves[push.n[1]].h, 256, t, decode);
    coopMatStore(m, halves[push.n[0]].h, 512, 16, gl_CooperativeMatrixLayoutRowMajor);
})");
}

INSTANTIATE_TEST_SUITE_P(All, DescriptorHeap, testing::Bool(),
                         [](const auto& param) { return param.param ? "u64" : "u32"; });

}  // namespace
}  // namespace coopvk::test::descriptor_heap_test
