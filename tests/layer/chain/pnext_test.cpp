// SPDX-License-Identifier: Apache-2.0
#include "chain/pnext.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "last_page.hpp"

namespace coopvk::layer::pnext_test {
namespace {

constexpr auto kRobustness = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ROBUSTNESS_2_FEATURES_EXT;
constexpr auto kMatrix = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR;
constexpr auto k12 = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
constexpr auto kUnknown = static_cast<VkStructureType>(1999999001);

// A structure that no header knows.
struct Unknown {
    VkStructureType sType = kUnknown;
    const void* pNext = nullptr;
    uint64_t payload[4] = {11, 22, 33, 44};
};

// The types of the three nodes that the tests put in every order.
class Chain : public testing::Test {
 protected:
    // robustness -> matrix -> 1.2
    Chain() {
        robustness.pNext = &matrix;
        matrix.pNext = &v12;
        robustness.robustBufferAccess2 = VK_TRUE;
        matrix.cooperativeMatrix = VK_TRUE;
        v12.shaderInt8 = VK_TRUE;
        remember();
    }
    void remember() {
        before = std::string(reinterpret_cast<char*>(&robustness), sizeof(robustness)) +
                 std::string(reinterpret_cast<char*>(&matrix), sizeof(matrix)) +
                 std::string(reinterpret_cast<char*>(&v12), sizeof(v12));
    }
    void TearDown() override {
        const std::string old = before;
        remember();
        EXPECT_TRUE(before == old) << "the application's memory changed";
    }
    static std::vector<VkStructureType> types(const void* chain) {
        std::vector<VkStructureType> list;
        for (auto* node = static_cast<const VkBaseInStructure*>(chain); node; node = node->pNext) {
            list.push_back(node->sType);
        }
        return list;
    }

    VkPhysicalDeviceRobustness2FeaturesEXT robustness = {kRobustness};
    VkPhysicalDeviceCooperativeMatrixFeaturesKHR matrix = {kMatrix};
    VkPhysicalDeviceVulkan12Features v12 = {k12};
    std::string before;
    Scratch scratch;
};
using Types = std::vector<VkStructureType>;

TEST_F(Chain, FindsNodes) {
    EXPECT_EQ(static_cast<const void*>(findNode(&robustness, kMatrix)), &matrix);
    EXPECT_EQ(findNode(&robustness, kUnknown), nullptr);
    EXPECT_EQ(findNode(nullptr, kMatrix), nullptr);
}

TEST_F(Chain, UntouchedIsTheApplications) {
    EXPECT_EQ(ChainEditor(&robustness, scratch).head(), &robustness);
    EXPECT_EQ(ChainEditor(nullptr, scratch).head(), nullptr);
}

TEST_F(Chain, RemovesTheFirst) {
    ChainEditor chain(&robustness, scratch);
    EXPECT_TRUE(chain.remove(kRobustness));
    EXPECT_EQ(chain.head(), &matrix);  // nothing had to be copied
}

TEST_F(Chain, RemovesFromTheMiddle) {
    ChainEditor chain(&robustness, scratch);
    EXPECT_TRUE(chain.remove(kMatrix));
    EXPECT_EQ(types(chain.head()), (Types{kRobustness, k12}));
    EXPECT_NE(chain.head(), &robustness);
    EXPECT_EQ(static_cast<const void*>(findNode(chain.head(), k12)), &v12);
    const auto* copy = findNode<VkPhysicalDeviceRobustness2FeaturesEXT>(chain.head(), kRobustness);
    EXPECT_EQ(copy->robustBufferAccess2, VK_TRUE);
}

TEST_F(Chain, RemovesTheLast) {
    ChainEditor chain(&robustness, scratch);
    EXPECT_TRUE(chain.remove(k12));
    EXPECT_EQ(types(chain.head()), (Types{kRobustness, kMatrix}));
}

TEST_F(Chain, RemovesAll) {
    ChainEditor chain(&robustness, scratch);
    for (VkStructureType type : {k12, kRobustness, kMatrix}) EXPECT_TRUE(chain.remove(type));
    EXPECT_EQ(chain.head(), nullptr);
    EXPECT_FALSE(chain.remove(k12));
}

TEST_F(Chain, RemovesDoubles) {
    VkPhysicalDeviceCooperativeMatrixFeaturesKHR second = {kMatrix, &robustness};
    VkPhysicalDeviceCooperativeMatrixFeaturesKHR first = {kMatrix, &second};
    ChainEditor chain(&first, scratch);
    EXPECT_TRUE(chain.remove(kMatrix));
    EXPECT_EQ(types(chain.head()), (Types{kRobustness, k12}));
}

TEST_F(Chain, EditsACopy) {
    ChainEditor chain(&robustness, scratch);
    auto* copy = chain.edit<VkPhysicalDeviceVulkan12Features>(k12);
    ASSERT_NE(copy, nullptr);
    EXPECT_NE(copy, &v12);
    EXPECT_EQ(copy->shaderInt8, VK_TRUE);
    copy->shaderFloat16 = VK_TRUE;
    EXPECT_EQ(chain.edit<VkPhysicalDeviceVulkan12Features>(k12), copy) << "copied once";
    EXPECT_EQ(types(chain.head()), (Types{kRobustness, kMatrix, k12}));
    const auto* seen = findNode<VkPhysicalDeviceVulkan12Features>(chain.head(), k12);
    EXPECT_EQ(seen->shaderFloat16, VK_TRUE);
    EXPECT_EQ(chain.edit(kUnknown), nullptr);
}

TEST_F(Chain, EditsBeforeAndAfterRemoving) {
    ChainEditor chain(&robustness, scratch);
    chain.edit<VkPhysicalDeviceRobustness2FeaturesEXT>(kRobustness)->nullDescriptor = VK_TRUE;
    EXPECT_TRUE(chain.remove(kMatrix));
    chain.edit<VkPhysicalDeviceVulkan12Features>(k12)->shaderFloat16 = VK_TRUE;
    EXPECT_EQ(types(chain.head()), (Types{kRobustness, k12}));
    const auto* first = static_cast<const VkPhysicalDeviceRobustness2FeaturesEXT*>(chain.head());
    EXPECT_EQ(first->nullDescriptor, VK_TRUE);
}

TEST_F(Chain, Prepends) {
    ChainEditor chain(&robustness, scratch);
    auto* first = chain.prepend<VkPhysicalDevice16BitStorageFeatures>(
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES);
    EXPECT_EQ(chain.head(), first);
    EXPECT_EQ(first->pNext, &robustness);
    EXPECT_EQ(first->storageBuffer16BitAccess, VK_FALSE);
    // Removing a node after it does not copy it.
    EXPECT_TRUE(chain.remove(kRobustness));
    EXPECT_EQ(chain.head(), first);
    EXPECT_EQ(first->pNext, &matrix);
}

TEST_F(Chain, KeepsUnknownStructures) {
    Unknown unknown;
    unknown.pNext = &robustness;
    ChainEditor chain(&unknown, scratch);
    EXPECT_TRUE(chain.remove(kMatrix));
    EXPECT_TRUE(chain.ok());
    EXPECT_EQ(types(chain.head()), (Types{kUnknown, kRobustness, k12}));
    const auto* copy = static_cast<const Unknown*>(chain.head());
    EXPECT_NE(copy, &unknown);
    EXPECT_EQ(std::memcmp(copy->payload, unknown.payload, sizeof(unknown.payload)), 0);
    EXPECT_EQ(unknown.pNext, &robustness);
}

// One whose last byte is the last of its page, with nothing mapped behind.
TEST_F(Chain, CopiesUpToUnmappedMemory) {
    const test::LastPage page;
    ASSERT_NE(page.end(), nullptr);
    auto* unknown = new (page.end() - sizeof(Unknown)) Unknown;
    unknown->pNext = &robustness;
    ChainEditor chain(unknown, scratch);
    EXPECT_TRUE(chain.remove(kMatrix));
    ASSERT_TRUE(chain.ok());
    const auto* copy = static_cast<const Unknown*>(chain.head());
    EXPECT_EQ(std::memcmp(copy->payload, unknown->payload, sizeof(unknown->payload)), 0);
}

// The smallest that there is.
TEST_F(Chain, CopiesAHeaderBeforeUnmappedMemory) {
    const test::LastPage page;
    ASSERT_NE(page.end(), nullptr);
    auto* unknown = new (page.end() - sizeof(VkBaseInStructure)) VkBaseInStructure;
    *unknown = {kUnknown, reinterpret_cast<const VkBaseInStructure*>(&robustness)};
    ChainEditor chain(unknown, scratch);
    EXPECT_TRUE(chain.remove(kMatrix));
    ASSERT_TRUE(chain.ok());
    EXPECT_EQ(types(chain.head()), (Types{kUnknown, kRobustness, k12}));
}

// Compares the table of sizes with the headers' structures.
TEST(StructSizes, Known) {
    EXPECT_EQ(structSize(k12), sizeof(VkPhysicalDeviceVulkan12Features));
    EXPECT_EQ(structSize(kMatrix), sizeof(VkPhysicalDeviceCooperativeMatrixFeaturesKHR));
    EXPECT_EQ(structSize(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2),
              sizeof(VkPhysicalDeviceFeatures2));
    EXPECT_EQ(
        structSize(VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO),
        sizeof(VkPipelineShaderStageRequiredSubgroupSizeCreateInfo));
    EXPECT_EQ(structSize(kUnknown), 0u);
}

}  // namespace
}  // namespace coopvk::layer::pnext_test
