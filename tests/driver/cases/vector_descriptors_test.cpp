// SPDX-License-Identifier: Apache-2.0
//
// Cooperative vectors in buffers of an array of descriptors, by an index that all invocations share
// and by one that differs among them: loads, stores, products, gradients.
#include <gtest/gtest.h>

#include "harness/random.hpp"
#include "harness/vector.hpp"

namespace coopvk::test::vector_descriptors_test {
namespace {

constexpr uint32_t kInvocations = 32;
constexpr uint32_t kRows = 9, kColumns = 12, kStride = 32;
// Offsets in each of the two buffers.
constexpr uint32_t kBias = 320, kProduct = 384, kSum = 704, kInput = 768, kOutput = 1792;
constexpr uint32_t kBytes = kOutput + kInvocations * kStride;

constexpr const char* kMain = R"(
layout(set = 0, binding = 4) buffer X { float16_t x[]; } b[2];
layout(push_constant) uniform P { uint one; uint bytes; } push;
#define F16 gl_ComponentTypeFloat16NV
#define ROWS gl_CooperativeVectorMatrixLayoutRowMajorNV
void main() {
    uint i = gl_LocalInvocationIndex;
    uint s = ${s}, t = ${t};
    coopvecNV<float16_t, 12> v;
    coopvecNV<float16_t, 9> r;
    coopVecLoadNV(v, b[${S}].x, 768 + 32 * i);
    coopVecMatMulAddNV(r, v, F16, b[${S}].x, 0, F16, b[${T}].x, 320, F16, 9, 12, ROWS, false, 32);
    coopVecStoreNV(r, b[${T}].x, 1792 + 32 * i);
    coopVecOuterProductAccumulateNV(r, v, b[${S}].x, 384, 32, ROWS, F16);
    coopVecReduceSumAccumulateNV(v, b[${T}].x, 704);
}
)";

class VectorValueDescriptors : public testing::TestWithParam<bool> {};

TEST_P(VectorValueDescriptors, Match) {
    const bool differ = GetParam();
    const auto from = [&](uint32_t i) { return differ ? i % 2 : 1; };
    const auto to = [&](uint32_t i) { return differ ? i / 3 % 2 : 0; };
    const VectorComponent& f16 = component(VK_COMPONENT_TYPE_FLOAT16_KHR);
    Rng rng(differ ? "differ" : "same");
    std::vector<Bytes> buffers(4, Bytes(4));
    for (uint32_t which = 0; which < 2; ++which) {
        Bytes data = rng.bytes(kBytes);
        for (uint32_t at = 0; at < kOutput; at += 2) {
            putElement(data, at, f16, static_cast<double>(rng.range(-1, 1)));
        }
        buffers.push_back(std::move(data));
    }
    std::vector<Bytes> want(buffers.begin() + 4, buffers.end());
    const auto add = [&](Bytes& bytes, size_t at, double value) {
        putElement(bytes, at, f16, getElement(bytes, at, f16) + value);
    };
    for (uint32_t i = 0; i < kInvocations; ++i) {
        const Bytes& weights = buffers[4 + from(i)];
        const auto input = [&](uint32_t k) {
            return getElement(weights, kInput + i * kStride + 2 * k, f16);
        };
        for (uint32_t row = 0; row < kRows; ++row) {
            double sum = getElement(buffers[4 + to(i)], kBias + 2 * row, f16);
            for (uint32_t k = 0; k < kColumns; ++k) {
                sum += getElement(weights, row * kStride + 2 * k, f16) * input(k);
            }
            putElement(want[to(i)], kOutput + i * kStride + 2 * row, f16, sum);
            for (uint32_t k = 0; k < kColumns; ++k) {
                add(want[from(i)], kProduct + row * kStride + 2 * k, sum * input(k));
            }
        }
        for (uint32_t k = 0; k < kColumns; ++k) add(want[to(i)], kSum + 2 * k, input(k));
    }
    Dispatch dispatch;
    dispatch.buffers = buffers;
    dispatch.push = pushWords({1, 0});
    const std::string source = vectorHeader(kInvocations) +
                               substitute(kMain, {{"s", differ ? "i % 2" : "push.one"},
                                                  {"t", differ ? "i / 3 % 2" : "1 - push.one"},
                                                  {"S", differ ? "nonuniformEXT(s)" : "s"},
                                                  {"T", differ ? "nonuniformEXT(t)" : "t"}});
    const std::vector<Bytes> after = run(compileGlsl(source), dispatch);
    for (uint32_t which = 0; which < 2; ++which) {
        for (uint32_t at = 0; at < kBytes; at += 2) {
            // The memory after the results has any contents, also NaN.
            if (after[4 + which][at] == want[which][at] &&
                after[4 + which][at + 1] == want[which][at + 1]) {
                continue;
            }
            ASSERT_EQ(getElement(after[4 + which], at, f16), getElement(want[which], at, f16))
                << "byte " << at << " of buffer " << which;
        }
    }
}

std::string nameOf(const testing::TestParamInfo<bool>& info) {
    return info.param ? "NonUniform" : "Uniform";
}

INSTANTIATE_TEST_SUITE_P(, VectorValueDescriptors, testing::Bool(), nameOf);

}  // namespace
}  // namespace coopvk::test::vector_descriptors_test
