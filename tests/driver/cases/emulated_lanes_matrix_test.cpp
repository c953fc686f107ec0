// SPDX-License-Identifier: Apache-2.0
//
// Matrices of subgroups of 32 lanes that the device does not have: products, and elements that lie
// as on a GPU (docs/developers/element-layouts.md has its formulas).
#include <gtest/gtest.h>

#include <cstring>
#include <format>

#include "harness/compute.hpp"
#include "harness/glsl.hpp"
#include "harness/requirement.hpp"
#include "harness/rewritten.hpp"

namespace coopvk::test::emulated_lanes_matrix_test {
namespace {

constexpr uint32_t kLanes = 32, kSize = 16, kElements = kSize * kSize;

rewrite::DeviceTraits narrowDevice(bool isCpu, rewrite::ElementLayout layout) {
    rewrite::DeviceTraits device = gpuWithDots(0);
    device.subgroupSize = device.minSubgroupSize = device.maxSubgroupSize = kLanes;
    device.driverSubgroupSize = Context::get().subgroupSize;
    device.isCpu = isCpu;
    device.familyLayout = layout;
    return device;
}

struct Place {
    uint32_t row, column;
};

struct Map {
    const char* name;
    rewrite::ElementLayout layout;
    Place (*accumulator)(uint32_t lane, uint32_t element);
    Place (*b)(uint32_t lane, uint32_t element);
};

constexpr Map kMaps[] = {
    {"rdna4", rewrite::ElementLayout::kRdna4,
     [](uint32_t l, uint32_t e) { return Place{8 * (l >> 4) + e, l & 15}; },
     [](uint32_t l, uint32_t e) { return Place{8 * (l >> 4) + e, l & 15}; }},
    {"nvidia", rewrite::ElementLayout::kNvidia,
     [](uint32_t l, uint32_t e) {
         const uint32_t h = e / 4, c = e % 4;
         return Place{(l >> 2) + 8 * h, 8 * (c >> 1) + 2 * (l & 3) + (c & 1)};
     },
     // As A of the transposed matrix.
     [](uint32_t l, uint32_t e) {
         const uint32_t h = e / 4, c = e % 4;
         return Place{8 * (c >> 1) + 2 * (l & 3) + (c & 1), (l >> 2) + 8 * h};
     }},
};

class EmulatedLanes : public testing::TestWithParam<std::tuple<size_t, bool, uint32_t>> {
 protected:
    const Map& map() const { return kMaps[std::get<0>(GetParam())]; }
    uint32_t subgroups() const { return std::get<2>(GetParam()); }
    Words made(const std::string& source) const {
        return rewrittenFor(narrowDevice(std::get<1>(GetParam()), map().layout),
                            compileGlsl(source));
    }
    std::string head() const {
        return glsl::header(subgroups()) + glsl::buffer(0, "a", "float16_t") +
               glsl::buffer(1, "b", "float16_t") + glsl::buffer(2, "c", "float") +
               glsl::buffer(3, "d", "float");
    }
};

std::string nameOfCase(const testing::TestParamInfo<EmulatedLanes::ParamType>& info) {
    const auto& [map, isCpu, subgroups] = info.param;
    return std::format("{}_{}_{}", kMaps[map].name, isCpu ? "cpu" : "gpu", subgroups);
}

float number(std::span<const std::byte> bytes, size_t at) {
    float value = 0;
    std::memcpy(&value, bytes.data() + at * 4, 4);
    return value;
}

// Element e of lane l gets the number 8 l + e, in an accumulator and in B; both are stored.
TEST_P(EmulatedLanes, ElementsLieAsOnTheGpu) {
    const Words words =
        made(head() + std::format(R"(
void main() {{
    {} sum = {}(0.0);
    for (int e = 0; e < sum.length(); ++e) sum[e] += float(gl_SubgroupInvocationID * 8 + e);
    coopMatStore(sum, c, gl_SubgroupID * 256, 16, gl_CooperativeMatrixLayoutRowMajor);
    {} factor = {}(0.0);
    for (int e = 0; e < factor.length(); ++e)
        factor[e] = float16_t(gl_SubgroupInvocationID * 8 + e);
    coopMatStore(factor, b, gl_SubgroupID * 256, 16, gl_CooperativeMatrixLayoutRowMajor);
    d[gl_LocalInvocationIndex] = float(sum.length() * 100 + factor.length());
}}
)",
                                  glsl::matrix(Component::kF32, 16, 16, Use::kAccumulator),
                                  glsl::matrix(Component::kF32, 16, 16, Use::kAccumulator),
                                  glsl::matrix(Component::kF16, 16, 16, Use::kB),
                                  glsl::matrix(Component::kF16, 16, 16, Use::kB)));
    ASSERT_FALSE(words.empty());
    Rng rng("ElementsLieAsOnTheGpu");
    Dispatch dispatch;
    const size_t all = size_t{kElements} * subgroups();
    dispatch.buffers = {Bytes(4, std::byte{0x5a}), Bytes(all * 2, std::byte{0x5a}),
                        Bytes(all * 4, std::byte{0x5a}),
                        Bytes(size_t{kLanes} * subgroups() * 4, std::byte{0x5a})};
    const std::vector<Bytes> after = run(words, dispatch);
    for (uint32_t i = 0; i < kLanes * subgroups(); ++i) EXPECT_EQ(number(after[3], i), 808.0f);
    for (uint32_t s = 0; s < subgroups(); ++s) {
        const size_t first = size_t{kElements} * s;
        const Matrix b = unpack(Component::kF16, kSize, kSize,
                                std::span(after[1]).subspan(first * 2, kElements * 2));
        for (uint32_t l = 0; l < kLanes; ++l) {
            for (uint32_t e = 0; e < 8; ++e) {
                const Place at = map().accumulator(l, e);
                EXPECT_EQ(number(after[2], first + at.row * kSize + at.column), float(8 * l + e))
                    << "lane " << l << ", element " << e;
                const Place atB = map().b(l, e);
                EXPECT_EQ(toDouble(Component::kF16, b.at(atB.row, atB.column)), double(8 * l + e))
                    << "lane " << l << ", element " << e << " of B";
            }
        }
    }
}

// A product whose sums become factors by the numbers of their elements, as FSR 4 does, in a loop,
// and 8-bit floats in between: each subgroup has its own A.
TEST_P(EmulatedLanes, ProductsOfEachSubgroup) {
    const Words words =
        made(head() + std::format(R"(
void main() {{
    {} left;
    coopMatLoad(left, a, gl_SubgroupID * 256, 16, gl_CooperativeMatrixLayoutRowMajor);
    {} right;
    coopMatLoad(right, b, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
    {} sum;
    coopMatLoad(sum, c, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
    for (int k = 0; k < 3; ++k) sum = coopMatMulAdd(left, right, sum);
    for (int e = 0; e < sum.length(); ++e) sum[e] += float(gl_SubgroupInvocationID * 8 + e);
    coopMatStore(sum, d, gl_SubgroupID * 256, 16, gl_CooperativeMatrixLayoutRowMajor);
}}
)",
                                  glsl::matrix(Component::kF16, 16, 16, Use::kA),
                                  glsl::matrix(Component::kF16, 16, 16, Use::kB),
                                  glsl::matrix(Component::kF32, 16, 16, Use::kAccumulator)));
    ASSERT_FALSE(words.empty());
    Rng rng("ProductsOfEachSubgroup");
    const Matrix b = randomMatrix(rng, Component::kF16, kSize, kSize, Fill::kSmall);
    const Matrix c = randomMatrix(rng, Component::kF32, kSize, kSize, Fill::kSmall);
    std::vector<Matrix> lefts;
    Dispatch dispatch;
    dispatch.buffers = {
        {}, pack(b), pack(c), Bytes(size_t{kElements} * 4 * subgroups(), std::byte{0x5a})};
    for (uint32_t s = 0; s < subgroups(); ++s) {
        lefts.push_back(randomMatrix(rng, Component::kF16, kSize, kSize, Fill::kSmall));
        const Bytes one = pack(lefts.back());
        dispatch.buffers[0].insert(dispatch.buffers[0].end(), one.begin(), one.end());
    }
    const std::vector<Bytes> after = run(words, dispatch);
    for (uint32_t s = 0; s < subgroups(); ++s) {
        Matrix sum = c;
        for (int k = 0; k < 3; ++k) sum = mulAdd(lefts[s], b, sum, Component::kF32, 0, true).value;
        std::vector<float> expected(kElements);
        for (uint32_t i = 0; i < kElements; ++i)
            expected[i] = static_cast<float>(toDouble(Component::kF32, sum.elements[i]));
        for (uint32_t l = 0; l < kLanes; ++l) {
            for (uint32_t e = 0; e < 8; ++e) {
                const Place at = map().accumulator(l, e);
                expected[at.row * kSize + at.column] += float(8 * l + e);
            }
        }
        for (uint32_t i = 0; i < kElements; ++i)
            EXPECT_EQ(number(after[3], size_t{kElements} * s + i), expected[i]) << s << ": " << i;
    }
}

INSTANTIATE_TEST_SUITE_P(All, EmulatedLanes,
                         testing::Combine(testing::Values(size_t{0}, size_t{1}), testing::Bool(),
                                          testing::Values(1u, 2u)),
                         nameOfCase);

}  // namespace
}  // namespace coopvk::test::emulated_lanes_matrix_test
