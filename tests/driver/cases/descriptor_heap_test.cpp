// SPDX-License-Identifier: Apache-2.0
//
// Matrices, vectors and tensors in buffers of a descriptor heap (SPV_EXT_descriptor_heap). Which
// buffer it is, is known at run time. Drivers without heaps run the rewritten shaders on an array
// of descriptors.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "harness/compute.hpp"
#include "harness/heap_shader.hpp"
#include "harness/requirement.hpp"
#include "harness/rewritten.hpp"

namespace coopvk::test {
namespace {

constexpr uint32_t kSize = 16;  // of matrices and vectors
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

// f16 of small integers.
uint16_t half(uint32_t value) {
    if (value == 0) return 0;
    uint32_t exponent = 0;
    while (value >> (exponent + 1) != 0) ++exponent;
    return static_cast<uint16_t>((15 + exponent) << 10 | ((value << (10 - exponent)) & 0x3FF));
}

struct Buffers {
    explicit Buffers(std::string_view seed) : rng(seed) {
        for (std::vector<uint32_t>* numbers : {&first, &second}) {
            for (uint32_t i = 0; i < 4096; ++i)
                numbers->push_back(static_cast<uint32_t>(rng.range(0, 3)));
        }
    }
    static Bytes bytes(const std::vector<uint32_t>& numbers) {
        Bytes out(numbers.size() * 2);
        for (size_t i = 0; i < numbers.size(); ++i) {
            const uint16_t bits = half(numbers[i]);
            std::memcpy(out.data() + 2 * i, &bits, 2);
        }
        return out;
    }

    Rng rng;
    std::vector<uint32_t> first, second;  // as numbers
};

// With 64-bit indexing or without: the code for either has the same results.
class DescriptorHeap : public testing::TestWithParam<bool> {
 protected:
    // Runs a body on the heap of these two buffers; their numbers afterwards must be these.
    static void expectResult(const std::string& body, const Buffers& before, const Buffers& after) {
        rewrite::DeviceTraits device = gpuWithDots(0);
        device.shaderIntegerDotProduct = false;
        device.bufferDeviceAddress = true;
        device.shaderInt64 = GetParam();
        device.maxSubgroupSize = device.minSubgroupSize;
        const Words words = rewrittenFor(device, compileGlsl(kHeader + body), GetParam());
        Dispatch dispatch;
        dispatch.buffers.assign(4, Bytes(16));
        dispatch.buffers.push_back(Buffers::bytes(before.first));
        dispatch.buffers.push_back(Buffers::bytes(before.second));
        dispatch.push = pushWords({0, 1, 0, 1});
        const std::vector<Bytes> found = run(heapAsArray(words, {kArrayBinding, 2}), dispatch);
        EXPECT_EQ(difference(found[4], Buffers::bytes(after.first)), "");
        EXPECT_EQ(difference(found[5], Buffers::bytes(after.second)), "");
    }

    void SetUp() override {
        if (GetParam()) COOPVK_REQUIRE(Requirement::kInt64);
    }
};

// y = W x + b for each lane's x at 32 * lane of buffer 1; W and b in buffer 0.
TEST_P(DescriptorHeap, VectorProducts) {
    const Buffers before("VectorProducts");
    Buffers after = before;
    const uint32_t lanes = Context::get().subgroupSize;
    for (uint32_t lane = 0; lane < lanes; ++lane) {
        for (uint32_t row = 0; row < kSize; ++row) {
            uint32_t sum = before.first[512 + row];
            for (uint32_t k = 0; k < kSize; ++k) {
                sum += before.first[row * kSize + k] * before.second[lane * kSize + k];
            }
            after.second[2048 + lane * kSize + row] = sum;
        }
    }
    expectResult(R"(void main() {
    const uint lane = gl_LocalInvocationIndex;
    coopvecNV<float16_t, 16> x, y;
    coopVecLoadNV(x, halves[push.n[1]].h, 32 * lane);
    coopVecMatMulAddNV(y, x, gl_ComponentTypeFloat16NV, words[push.n[0]].w, 0,
                       gl_ComponentTypeFloat16NV, halves[push.n[2]].h, 1024,
                       gl_ComponentTypeFloat16NV, 16, 16, gl_CooperativeVectorMatrixLayoutRowMajorNV,
                       false, 32);
    coopVecStoreNV(y, halves[push.n[1]].h, 4096 + 32 * lane);
})",
                 before, after);
}

// Each lane's own buffer.
TEST_P(DescriptorHeap, NonUniformIndices) {
    const Buffers before("NonUniformIndices");
    Buffers after = before;
    const uint32_t lanes = Context::get().subgroupSize;
    for (uint32_t lane = 0; lane < lanes; ++lane) {
        const auto& from = lane % 2 == 0 ? before.first : before.second;
        auto& to = lane % 2 == 0 ? after.second : after.first;
        std::copy_n(from.begin() + lane * kSize, kSize, to.begin() + 2048 + lane * kSize);
    }
    expectResult(R"(void main() {
    const uint lane = gl_LocalInvocationIndex, own = lane % 2;
    coopvecNV<float16_t, 16> x;
    coopVecLoadNV(x, halves[nonuniformEXT(own)].h, 32 * lane);
    coopVecStoreNV(x, halves[nonuniformEXT(1 - own)].h, 4096 + 32 * lane);
})",
                 before, after);
}

TEST_P(DescriptorHeap, Training) {
    const Buffers before("Training");
    Buffers after = before;
    const uint32_t lanes = Context::get().subgroupSize;
    for (uint32_t lane = 0; lane < lanes; ++lane) {
        const auto x = before.first.begin() + lane * kSize;
        for (uint32_t i = 0; i < kSize; ++i) {
            after.second[64 + i] += x[i];
            for (uint32_t j = 0; j < kSize; ++j) after.second[512 + i * kSize + j] += x[i] * x[j];
        }
    }
    expectResult(R"(void main() {
    coopvecNV<float16_t, 16> x;
    coopVecLoadNV(x, halves[push.n[0]].h, 32 * gl_LocalInvocationIndex);
    coopVecReduceSumAccumulateNV(x, halves[push.n[1]].h, 128);
    coopVecOuterProductAccumulateNV(x, x, halves[push.n[3]].h, 1024, 32,
        gl_CooperativeVectorMatrixLayoutRowMajorNV, gl_ComponentTypeFloat16NV);
})",
                 before, after);
}

TEST_P(DescriptorHeap, Matrices) {
    const Buffers before("Matrices");
    Buffers after = before;
    std::copy_n(before.second.begin() + 256, kSize * kSize, after.first.begin() + 512);
    expectResult(R"(void main() {
    coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA> m;
    coopMatLoad(m, words[push.n[1]].w, 128, 8, gl_CooperativeMatrixLayoutRowMajor);
    coopMatStore(m, halves[push.n[0]].h, 512, 16, gl_CooperativeMatrixLayoutRowMajor);
})",
                 before, after);
}

TEST_P(DescriptorHeap, Tensors) {
    const Buffers before("Tensors");
    Buffers after = before;
    std::copy_n(before.second.begin() + 256, kSize * kSize, after.first.begin() + 512);
    expectResult(R"(void main() {
    coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> m;
    tensorLayoutNV<2> t = createTensorLayoutNV(2);
    t = setTensorLayoutDimensionNV(t, 16, 16);
    coopMatLoadTensorNV(m, halves[push.n[1]].h, 256, t);
    coopMatStoreTensorNV(m, halves[push.n[0]].h, 512, t);
})",
                 before, after);
}

TEST_P(DescriptorHeap, DecodeFunctions) {
    const Buffers before("DecodeFunctions");
    Buffers after = before;
    for (uint32_t i = 0; i < kSize * kSize; ++i) {
        after.first[512 + i] = before.second[256 + i] + before.second[256 + i / 2 * 2];
    }
    expectResult(R"(
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
})",
                 before, after);
}

INSTANTIATE_TEST_SUITE_P(All, DescriptorHeap, testing::Bool(),
                         [](const auto& param) { return param.param ? "u64" : "u32"; });

}  // namespace
}  // namespace coopvk::test
