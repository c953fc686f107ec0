// SPDX-License-Identifier: Apache-2.0
#include "conversion/sync_masks.hpp"

#include <gtest/gtest.h>

#include "chain/pnext.hpp"

namespace coopvk::layer::sync_masks_test {
namespace {

constexpr auto kConversion = VK_PIPELINE_STAGE_2_CONVERT_COOPERATIVE_VECTOR_MATRIX_BIT_NV;
constexpr auto kCompute = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT;
constexpr auto kCopy = VK_PIPELINE_STAGE_2_COPY_BIT;
constexpr auto kAll = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
constexpr auto kRead = VK_ACCESS_2_TRANSFER_READ_BIT;
constexpr auto kWrite = VK_ACCESS_2_TRANSFER_WRITE_BIT;
constexpr auto kShaderRead = VK_ACCESS_2_SHADER_READ_BIT;
constexpr auto kShaderWrite = VK_ACCESS_2_SHADER_WRITE_BIT;

TEST(SyncMasks, ConversionsAreCompute) {
    struct Row {
        SyncScope before, after;
    };
    constexpr Row kRows[] = {
        {{kConversion, 0}, {kCompute, 0}},
        {{kConversion, kRead}, {kCompute, kShaderRead}},
        {{kConversion, kRead | kWrite}, {kCompute, kShaderRead | kShaderWrite}},
        {{kConversion, VK_ACCESS_2_MEMORY_WRITE_BIT}, {kCompute, VK_ACCESS_2_MEMORY_WRITE_BIT}},
        // Transfer accesses stay where another stage of the scope has them.
        {{kConversion | kCopy, kWrite}, {kCompute | kCopy, kWrite | kShaderWrite}},
        {{kConversion | VK_PIPELINE_STAGE_2_CLEAR_BIT, kRead | kWrite},
         {kCompute | VK_PIPELINE_STAGE_2_CLEAR_BIT, kWrite | kShaderRead | kShaderWrite}},
        {{kAll | kConversion, kRead}, {kAll | kCompute, kRead | kShaderRead}},
    };
    for (const Row& row : kRows) EXPECT_EQ(withoutConversions(row.before), row.after);
}

TEST(SyncMasks, TheRestStays) {
    constexpr SyncScope kScopes[] = {
        {0, 0},
        {kCopy, kRead | kWrite},
        {VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT, kWrite},
        {kCompute, kShaderWrite},
        {kAll, kRead | kWrite},
        {kAll, VK_ACCESS_2_MEMORY_READ_BIT},
        {VK_PIPELINE_STAGE_2_ALL_GRAPHICS_BIT, VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT},
    };
    for (const SyncScope& scope : kScopes) EXPECT_EQ(withoutConversions(scope), scope);
}

TEST(SyncMasks, Images) {
    VkImageMemoryBarrier2 image = {VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER_2};
    image.srcStageMask = image.dstStageMask = kAll;
    image.srcAccessMask = image.dstAccessMask = kRead | kWrite;
    VkDependencyInfo info = {VK_STRUCTURE_TYPE_DEPENDENCY_INFO};
    info.imageMemoryBarrierCount = 1;
    info.pImageMemoryBarriers = &image;
    Scratch scratch;
    EXPECT_FALSE(mayConvert(info));
    EXPECT_EQ(withoutConversions(&info, scratch), &info);
    image.dstStageMask = kConversion;
    ASSERT_TRUE(mayConvert(info));
    const VkDependencyInfo* copy = withoutConversions(&info, scratch);
    ASSERT_NE(copy, &info);
    EXPECT_EQ(copy->pImageMemoryBarriers->dstStageMask, kCompute);
    EXPECT_EQ(image.dstStageMask, kConversion);
}

// Only what changes is copied, and nothing of the application's is written.
TEST(SyncMasks, Dependencies) {
    VkMemoryBarrier2 memory[2] = {{VK_STRUCTURE_TYPE_MEMORY_BARRIER_2},
                                  {VK_STRUCTURE_TYPE_MEMORY_BARRIER_2}};
    VkBufferMemoryBarrier2 buffer = {VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER_2};
    buffer.srcStageMask = kCopy;
    buffer.srcAccessMask = kWrite;
    VkDependencyInfo info = {VK_STRUCTURE_TYPE_DEPENDENCY_INFO};
    info.memoryBarrierCount = 2;
    info.pMemoryBarriers = memory;
    info.bufferMemoryBarrierCount = 1;
    info.pBufferMemoryBarriers = &buffer;
    Scratch scratch;
    EXPECT_EQ(withoutConversions(&info, scratch), &info);

    memory[1].srcStageMask = kConversion;
    memory[1].srcAccessMask = kWrite;
    memory[1].dstStageMask = kConversion;
    memory[1].dstAccessMask = kRead;
    const VkDependencyInfo* changed = withoutConversions(&info, scratch);
    ASSERT_NE(changed, &info);
    EXPECT_EQ(changed->pBufferMemoryBarriers, &buffer);
    EXPECT_EQ(changed->pMemoryBarriers[0].srcStageMask, 0u);
    EXPECT_EQ(changed->pMemoryBarriers[1].srcStageMask, kCompute);
    EXPECT_EQ(changed->pMemoryBarriers[1].srcAccessMask, kShaderWrite);
    EXPECT_EQ(changed->pMemoryBarriers[1].dstAccessMask, kShaderRead);
    EXPECT_EQ(memory[1].srcStageMask, kConversion);
}

// Barriers in the chain of a dependency.
template <typename Barrier>
Barrier conversionBarrier(VkStructureType type) {
    Barrier barrier = {type};
    barrier.srcStageMask = kConversion;
    barrier.srcAccessMask = kWrite;
    barrier.dstStageMask = kConversion;
    barrier.dstAccessMask = kRead;
    return barrier;
}

template <typename Barrier>
void expectTranslated(const Barrier& barrier) {
    EXPECT_EQ(barrier.srcStageMask, kCompute);
    EXPECT_EQ(barrier.srcAccessMask, kShaderWrite);
    EXPECT_EQ(barrier.dstStageMask, kCompute);
    EXPECT_EQ(barrier.dstAccessMask, kShaderRead);
}

class ChainedBarriers : public testing::Test {
 protected:
    // The copy of a structure in the translated chain; none if nothing was translated.
    template <typename T>
    const T* translated(const T& structure) {
        info.pNext = &structure;
        const VkDependencyInfo* after = withoutConversions(&info, scratch);
        return after == &info ? nullptr : findNode<T>(after->pNext, structure.sType);
    }

    VkDependencyInfo info = {VK_STRUCTURE_TYPE_DEPENDENCY_INFO};
    Scratch scratch;
};

#ifdef VK_KHR_device_address_commands
TEST_F(ChainedBarriers, MemoryRanges) {
    constexpr auto kType = VK_STRUCTURE_TYPE_MEMORY_RANGE_BARRIER_KHR;
    VkMemoryRangeBarrierKHR barriers[2] = {{kType},
                                           conversionBarrier<VkMemoryRangeBarrierKHR>(kType)};
    barriers[1].addressRange = {0x1000, 64};
    VkMemoryRangeBarriersInfoKHR ranges = {VK_STRUCTURE_TYPE_MEMORY_RANGE_BARRIERS_INFO_KHR,
                                           nullptr, 2, barriers};
    const auto* after = translated(ranges);
    ASSERT_NE(after, nullptr);
    EXPECT_EQ(after->pMemoryRangeBarriers[0].srcStageMask, 0u);
    expectTranslated(after->pMemoryRangeBarriers[1]);
    EXPECT_EQ(after->pMemoryRangeBarriers[1].addressRange.address, 0x1000u);
    EXPECT_EQ(barriers[1].srcStageMask, kConversion) << "the application's";
    ranges.memoryRangeBarrierCount = 1;
    EXPECT_EQ(translated(ranges), nullptr);
}
#endif

#ifdef VK_ARM_tensors
TEST_F(ChainedBarriers, Tensors) {
    const auto barrier =
        conversionBarrier<VkTensorMemoryBarrierARM>(VK_STRUCTURE_TYPE_TENSOR_MEMORY_BARRIER_ARM);
    const auto* after = translated(barrier);
    ASSERT_NE(after, nullptr);
    expectTranslated(*after);
    EXPECT_EQ(barrier.srcStageMask, kConversion) << "the application's";

    VkTensorDependencyInfoARM several = {VK_STRUCTURE_TYPE_TENSOR_DEPENDENCY_INFO_ARM, nullptr, 1,
                                         &barrier};
    const auto* array = translated(several);
    ASSERT_NE(array, nullptr);
    expectTranslated(array->pTensorMemoryBarriers[0]);
    const VkTensorMemoryBarrierARM other = {VK_STRUCTURE_TYPE_TENSOR_MEMORY_BARRIER_ARM};
    several.pTensorMemoryBarriers = &other;
    EXPECT_EQ(translated(several), nullptr);
    EXPECT_EQ(translated(other), nullptr);
}
#endif

}  // namespace
}  // namespace coopvk::layer::sync_masks_test
