// SPDX-License-Identifier: Apache-2.0
#include "shaders/stage_rewriter.hpp"

#include <gtest/gtest.h>

#include <array>
#include <set>

#include "device/device_facts.hpp"

namespace coopvk::layer::stage_rewriter_test {
namespace {

using Sizes = std::vector<uint32_t>;

DeviceFacts makeFacts(uint32_t size, uint32_t least, uint32_t most) {
    DeviceFacts facts;
    facts.traits.subgroupSize = size;
    facts.traits.minSubgroupSize = least;
    facts.traits.maxSubgroupSize = most;
    facts.features.set();
    facts.requiredSubgroupSizeStages = VK_SHADER_STAGE_COMPUTE_BIT;
    return facts;
}

Sizes sizesOf(const DeviceFacts& facts, uint32_t required = 0,
              VkShaderStageFlagBits stage = VK_SHADER_STAGE_COMPUTE_BIT) {
    StageRequest request;
    request.stage = stage;
    request.requiredSubgroupSize = required;
    return subgroupSizes(facts, request);
}

TEST(SubgroupSizes, FixedOnes) {
    EXPECT_EQ(sizesOf(makeFacts(8, 8, 8)), (Sizes{8}));
    EXPECT_EQ(sizesOf(makeFacts(32, 8, 128), 16), (Sizes{16}));
    EXPECT_FALSE(canRequireSize(makeFacts(8, 8, 8), VK_SHADER_STAGE_COMPUTE_BIT));
}

TEST(SubgroupSizes, OwnFirstThenSmallerThenLarger) {
    EXPECT_EQ(sizesOf(makeFacts(32, 8, 128)), (Sizes{32, 16, 8, 64, 128}));
    EXPECT_EQ(sizesOf(makeFacts(64, 32, 64)), (Sizes{64, 32}));
    EXPECT_EQ(sizesOf(makeFacts(32, 32, 64)), (Sizes{32, 64}));
    EXPECT_EQ(sizesOf(makeFacts(2, 1, 4)), (Sizes{2, 1, 4}));
}

TEST(SubgroupSizes, EndWhateverTheDriverSays) {
    EXPECT_EQ(sizesOf(makeFacts(0, 0, 64)), (Sizes{0}));
    EXPECT_EQ(sizesOf(makeFacts(1u << 31, 1u << 31, ~0u)), (Sizes{1u << 31}));
}

TEST(SubgroupSizes, OnlyWhereTheDriverCanBeTold) {
    DeviceFacts facts = makeFacts(32, 8, 128);
    EXPECT_EQ(sizesOf(facts, 0, VK_SHADER_STAGE_FRAGMENT_BIT), (Sizes{32}));
    facts.features.reset(static_cast<size_t>(Feature::kSubgroupSizeControl));
    EXPECT_EQ(sizesOf(facts), (Sizes{32}));
}

TEST(Workgroups, Fit) {
    DeviceFacts facts = makeFacts(32, 8, 128);
    facts.maxComputeWorkgroupSubgroups = 4;
    rewrite::Rewritten rewritten;
    rewritten.localSize = {64, 2, 1};
    EXPECT_TRUE(workgroupFits(facts, rewritten, 32));
    EXPECT_FALSE(workgroupFits(facts, rewritten, 16)) << "eight subgroups of four";
    EXPECT_FALSE(workgroupFits(facts, rewritten, 128)) << "not full";
    rewritten.localSize = {48, 1, 1};
    EXPECT_FALSE(workgroupFits(facts, rewritten, 32));
    EXPECT_TRUE(workgroupFits(facts, rewritten, 16));
    rewritten.localSize = {0, 0, 0};
    EXPECT_TRUE(workgroupFits(facts, rewritten, 32)) << "no workgroup";
    facts.maxComputeWorkgroupSubgroups = 0;
    rewritten.localSize = {1024, 1024, 64};
    EXPECT_TRUE(workgroupFits(facts, rewritten, 8)) << "no limit known";
}

class Specializations : public testing::Test {
 protected:
    bool read(VkSpecializationMapEntry entry, size_t dataSize = sizeof(kData)) {
        const VkSpecializationInfo info = {1, &entry, dataSize, kData.data()};
        return readSpecialization(&info, entries);
    }
    static constexpr std::array<uint32_t, 4> kData = {10, 20, 30, 40};
    std::vector<rewrite::SpecializationEntry> entries;
};

TEST_F(Specializations, None) {
    EXPECT_TRUE(readSpecialization(nullptr, entries));
    const VkSpecializationInfo empty = {};
    EXPECT_TRUE(readSpecialization(&empty, entries));
    EXPECT_TRUE(entries.empty());
}

TEST_F(Specializations, Entries) {
    EXPECT_TRUE(read({3, 4, 8}));
    ASSERT_EQ(entries.size(), 1u);
    EXPECT_EQ(entries[0].constantId, 3u);
    EXPECT_EQ(static_cast<const void*>(entries[0].data.data()), &kData[1]);
    EXPECT_EQ(entries[0].data.size(), 8u);
    EXPECT_TRUE(read({3, 12, 4}));
    EXPECT_TRUE(read({3, 16, 0}));
    EXPECT_TRUE(entries.empty()) << "of no size";
}

TEST_F(Specializations, ContradictoryOnes) {
    EXPECT_FALSE(read({3, 13, 4}));
    EXPECT_FALSE(read({3, 0, 17}));
    EXPECT_FALSE(read({3, 17, 0}));
    EXPECT_FALSE(read({3, 0xffffffff, 4}));
    EXPECT_FALSE(read({3, 4, ~size_t{0}})) << "offset plus size wraps around";
    EXPECT_FALSE(read({3, 0, 4}, 0));
    const VkSpecializationInfo noEntries = {1, nullptr, sizeof(kData), kData.data()};
    EXPECT_FALSE(readSpecialization(&noEntries, entries));
    for (const size_t size : {1, 4}) {
        const VkSpecializationMapEntry entry = {3, 0, size};
        const VkSpecializationInfo noData = {1, &entry, size, nullptr};
        EXPECT_FALSE(readSpecialization(&noData, entries)) << size;
    }
}

TEST(Stages, NamesAreUnique) {
    std::set<std::string_view> names;
    for (uint32_t bit = 0; bit < 14; ++bit) {
        const auto stage = static_cast<VkShaderStageFlagBits>(1u << bit);
        EXPECT_TRUE(names.insert(stageName(stage)).second) << bit;
    }
    EXPECT_FALSE(names.contains("unknown"));
    EXPECT_EQ(stageName(VK_SHADER_STAGE_ALL), "unknown");
}

TEST(Errors, ResultsAreErrors) {
    EXPECT_EQ(resultOf(rewrite::ErrorCode::kOutOfMemory), VK_ERROR_OUT_OF_HOST_MEMORY);
    for (auto code : {rewrite::ErrorCode::kInvalidModule, rewrite::ErrorCode::kInvalidArgument,
                      rewrite::ErrorCode::kUnsupported}) {
        EXPECT_LT(resultOf(code), 0);
    }
}

}  // namespace
}  // namespace coopvk::layer::stage_rewriter_test
