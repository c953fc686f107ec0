// SPDX-License-Identifier: Apache-2.0
//
// Long vectors in every stage that the device has. The expected values are computed here.
#include <gtest/gtest.h>

#include <cstring>

#include "harness/layer_log.hpp"
#include "harness/random.hpp"
#include "harness/requirement.hpp"
#include "harness/stage_run.hpp"

namespace coopvk::test::long_vector_stages_test {
namespace {

constexpr uint32_t kCount = 19;
// Helper invocations beside the 39 pixels have numbers up to 52.
constexpr uint32_t kNumbers = 64;

using Words19 = std::array<uint32_t, kCount>;

Words19 wordsAt(const Bytes& bytes, size_t index) {
    Words19 words;
    std::memcpy(words.data(), bytes.data() + index * sizeof(words), sizeof(words));
    return words;
}

constexpr const char* kSource =
    "#extension GL_EXT_long_vector : require\n#extension GL_EXT_scalar_block_layout : require\n"
    "layout(buffer_reference, scalar) buffer Words { vector<uint, 19> v[]; };\n"
    "vector<uint, 19> mixed(vector<uint, 19> a, vector<uint, 19> b) {\n"
    "  if (any(greaterThan(a, b))) return a * b;\n"
    "  a[18] += 1; return a;\n}\n"
    "void work(uint i) {\n"
    "  vector<uint, 19> a = Words(table.address[0]).v[i], b = Words(table.address[1]).v[i];\n"
    "  vector<uint, 19> sum = vector<uint, 19>(i);\n"
    "  for (uint j = 0; j < 3; ++j) { sum += mixed(a, b); a = b; b[j] = sum[i % 19]; }\n"
    "  Words(table.address[2]).v[i] = sum;\n}\n";

Words19 mixed(Words19 a, const Words19& b) {
    bool isGreater = false;
    for (uint32_t c = 0; c < kCount; ++c) isGreater |= a[c] > b[c];
    if (!isGreater) {
        ++a[18];
        return a;
    }
    for (uint32_t c = 0; c < kCount; ++c) a[c] *= b[c];
    return a;
}

Words19 expected(uint32_t i, Words19 a, Words19 b) {
    Words19 sum;
    sum.fill(i);
    for (uint32_t j = 0; j < 3; ++j) {
        const Words19 more = mixed(a, b);
        for (uint32_t c = 0; c < kCount; ++c) sum[c] += more[c];
        a = b;
        b[j] = sum[i % kCount];
    }
    return sum;
}

class LongVectorStages : public testing::TestWithParam<VkShaderStageFlagBits> {};

TEST_P(LongVectorStages, Match) {
    COOPVK_REQUIRE(Requirement::kLongVector);
    const VkShaderStageFlagBits stage = GetParam();
    if (const std::string why = missing(stage); !why.empty()) GTEST_SKIP() << why;
    Rng rng("long vectors");
    Bytes a(kNumbers * sizeof(Words19)), b(a.size());
    for (Bytes* bytes : {&a, &b}) {
        for (size_t at = 0; at < bytes->size(); at += 4) {
            const auto value = static_cast<uint32_t>(rng.range(0, bytes == &a ? 6 : 9));
            std::memcpy(bytes->data() + at, &value, sizeof(value));
        }
    }
    const Bytes poison = rng.bytes(a.size());
    LayerLog::take();
    const Bytes after = runStage(stage, kSource, {a, b, poison})[2];
    if (Context::get().emulated) {
        EXPECT_NE(LayerLog::take().find("rewrote " + stageName(stage) + " shader"),
                  std::string::npos);
    }
    for (uint32_t i = 0; i < kStageInvocations; ++i) {
        EXPECT_EQ(wordsAt(after, i), expected(i, wordsAt(a, i), wordsAt(b, i))) << i;
    }
}

// The other tests of long vectors are skipped on devices without them.
TEST(LongVectorProperties, CoopvkHasThem) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    ASSERT_TRUE(Context::get().has(VK_EXT_SHADER_LONG_VECTOR_EXTENSION_NAME));
    EXPECT_EQ(missing(Requirement::kLongVector), "");
    VkPhysicalDeviceShaderLongVectorPropertiesEXT properties{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_LONG_VECTOR_PROPERTIES_EXT};
    VkPhysicalDeviceProperties2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &properties};
    vkGetPhysicalDeviceProperties2(Context::get().physical, &all);
    EXPECT_GE(properties.maxVectorComponents, 1024u);  // as the README says
}

std::string stageNameOf(const testing::TestParamInfo<VkShaderStageFlagBits>& info) {
    std::string name = stageName(info.param);
    std::erase(name, '-');
    return name;
}

INSTANTIATE_TEST_SUITE_P(, LongVectorStages, testing::ValuesIn(allStages()), stageNameOf);

}  // namespace
}  // namespace coopvk::test::long_vector_stages_test
