// SPDX-License-Identifier: Apache-2.0
#include "vulkan.hpp"

namespace coopvk::reference::test::transfer_test {
namespace {

class Transfer : public Vulkan {};
using Values = std::vector<uint32_t>;

TEST_F(Transfer, FillsUpdatesAndCopies) {
    Words source(device, {1, 2, 3, 4});
    Words target(device, Values(6, 9));
    EXPECT_VK(run([&](VkCommandBuffer commands) {
        vkCmdFillBuffer(commands, target.buffer, 4, 8, 7);
        const uint32_t value = 5;
        vkCmdUpdateBuffer(commands, target.buffer, 0, 4, &value);
        const VkBufferCopy regions[] = {{0, 12, 4}, {12, 16, 4}};
        vkCmdCopyBuffer(commands, source.buffer, target.buffer, 2, regions);
    }));
    EXPECT_EQ(target.values(), (Values{5, 7, 7, 1, 4, 9}));
}

TEST_F(Transfer, WholeSizeGoesToTheEnd) {
    Words target(device, Values(4, 9));
    EXPECT_VK(run([&](VkCommandBuffer commands) {
        vkCmdFillBuffer(commands, target.buffer, 8, VK_WHOLE_SIZE, 3);
    }));
    EXPECT_EQ(target.values(), (Values{9, 9, 3, 3}));
}

TEST_F(Transfer, SecondariesExecuteInOrder) {
    Words target(device, Values(2, 0));
    const VkCommandBuffer secondary = allocate(VK_COMMAND_BUFFER_LEVEL_SECONDARY);
    const VkCommandBufferInheritanceInfo inherited{
        VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO};
    VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    begin.pInheritanceInfo = &inherited;
    ASSERT_VK(vkBeginCommandBuffer(secondary, &begin));
    vkCmdFillBuffer(secondary, target.buffer, 0, 8, 2);
    ASSERT_VK(vkEndCommandBuffer(secondary));
    EXPECT_VK(run([&](VkCommandBuffer commands) {
        vkCmdFillBuffer(commands, target.buffer, 0, 8, 1);
        fullBarrier(commands);
        vkCmdExecuteCommands(commands, 1, &secondary);
        fullBarrier(commands);
        vkCmdFillBuffer(commands, target.buffer, 4, 4, 3);
    }));
    EXPECT_EQ(target.values(), (Values{2, 3}));
}

TEST_F(Transfer, TimestampsGrow) {
    VkQueryPoolCreateInfo info{VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO};
    info.queryType = VK_QUERY_TYPE_TIMESTAMP;
    info.queryCount = 3;
    VkQueryPool queries = VK_NULL_HANDLE;
    ASSERT_VK(vkCreateQueryPool(device, &info, nullptr, &queries));
    Words copied(device, Values(4, 0));
    EXPECT_VK(run([&](VkCommandBuffer commands) {
        vkCmdResetQueryPool(commands, queries, 0, 3);
        vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, queries, 0);
        vkCmdWriteTimestamp2(commands, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, queries, 1);
        vkCmdCopyQueryPoolResults(commands, queries, 0, 2, copied.buffer, 0, 8,
                                  VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT);
    }));
    uint64_t values[3][2] = {};
    EXPECT_EQ(vkGetQueryPoolResults(device, queries, 0, 3, sizeof(values), values, 16,
                                    VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WITH_AVAILABILITY_BIT),
              VK_NOT_READY);
    EXPECT_LE(values[0][0], values[1][0]);
    EXPECT_EQ(values[0][1], 1u);
    EXPECT_EQ(values[2][1], 0u);
    uint64_t second = 0;
    std::memcpy(&second, &copied[2], sizeof(second));
    EXPECT_EQ(second, values[1][0]);
    vkDestroyQueryPool(device, queries, nullptr);
}

}  // namespace
}  // namespace coopvk::reference::test::transfer_test
