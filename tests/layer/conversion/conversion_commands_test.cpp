// SPDX-License-Identifier: Apache-2.0
//
// Matrix conversions: invalid requests, failures while recording. On devices without conversions,
// commands that only conversions need are the driver's own.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "fakes/allocations.hpp"
#include "fakes/recorded_conversions.hpp"

namespace coopvk::test::conversion_commands_test {
namespace {

TEST(ConversionCommands, InNobodysWay) {
    FakeDriver driver;
    driver.makeInstance();
    const VkDevice plain = makeDevice(driver, nullptr);
    const auto own = driver.deviceCommand(plain, "vkCmdBindPipeline");
    ASSERT_NE(own, nullptr);
    EXPECT_EQ(driver.deviceCommand(plain, "vkCmdConvertCooperativeVectorMatrixNV"), nullptr);
    driver.destroyDevice(plain);

    const VkDevice matrices = makeDevice(driver, VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME);
    EXPECT_EQ(driver.deviceCommand(matrices, "vkCmdBindPipeline"), own);
    EXPECT_EQ(driver.deviceCommand(matrices, "vkConvertCooperativeVectorMatrixNV"), nullptr);
    driver.destroyDevice(matrices);

    const VkDevice vectors = makeDevice(driver, VK_NV_COOPERATIVE_VECTOR_EXTENSION_NAME);
    EXPECT_NE(driver.deviceCommand(vectors, "vkCmdBindPipeline"), own);
    EXPECT_NE(driver.deviceCommand(vectors, "vkConvertCooperativeVectorMatrixNV"), nullptr);
    EXPECT_NE(driver.deviceCommand(vectors, "vkCmdConvertCooperativeVectorMatrixNV"), nullptr);
    // The layer does not add commands that the driver lacks.
    EXPECT_EQ(driver.deviceCommand(vectors, "vkCmdPipelineBarrier2"), nullptr);
    driver.destroyDevice(vectors);
    driver.destroyInstance();
}

// vkGetInstanceProcAddr gives layers above the commands for all devices.
TEST(ConversionCommands, OfTheInstanceOnOtherDevices) {
    FakeDriver driver;
    driver.recordsAll = true;
    driver.makeInstance();
    const VkDevice device = makeDevice(driver, VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME);
    const auto pool = reinterpret_cast<VkCommandPool>(uint64_t{1});
    VkCommandBufferAllocateInfo info = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
    info.commandPool = pool;
    info.commandBufferCount = 2;
    VkCommandBuffer buffers[2] = {};
    ASSERT_EQ(COOPVK_INSTANCE_COMMAND(driver, vkAllocateCommandBuffers)(device, &info, buffers),
              VK_SUCCESS);
    const uint32_t recorded = driver.recorded;
    COOPVK_INSTANCE_COMMAND(driver, vkCmdExecuteCommands)(buffers[0], 1, &buffers[1]);
    EXPECT_EQ(driver.recorded, recorded + 1) << "the driver's, once";
    COOPVK_INSTANCE_COMMAND(driver, vkFreeCommandBuffers)(device, pool, 2, buffers);
    EXPECT_TRUE(driver.commandBuffers.empty());
    COOPVK_INSTANCE_COMMAND(driver, vkDestroyCommandPool)(device, pool, nullptr);
    driver.destroyDevice(device);
    driver.destroyInstance();
}

// Where the driver converts, the stage is the driver's.
TEST(ConversionCommands, TheStageOfOtherDevicesStays) {
    FakeDriver driver;
    driver.recordsAll = true;
    driver.makeInstance();
    constexpr uint64_t kStage = VK_PIPELINE_STAGE_2_CONVERT_COOPERATIVE_VECTOR_MATRIX_BIT_NV;
    constexpr uint64_t kCompute = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT;
    for (const auto& [extension, stage] :
         {std::pair{VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME, kStage},
          std::pair{VK_NV_COOPERATIVE_VECTOR_EXTENSION_NAME, kCompute}}) {
        const VkDevice device = makeDevice(driver, extension);
        VkCommandBufferAllocateInfo info = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
        info.commandBufferCount = 1;
        VkCommandBuffer commands = VK_NULL_HANDLE;
        ASSERT_EQ(
            COOPVK_INSTANCE_COMMAND(driver, vkAllocateCommandBuffers)(device, &info, &commands),
            VK_SUCCESS);
        VkMemoryBarrier2 barrier = {VK_STRUCTURE_TYPE_MEMORY_BARRIER_2};
        barrier.srcStageMask = barrier.dstStageMask = kStage;
        VkDependencyInfo dependency = {VK_STRUCTURE_TYPE_DEPENDENCY_INFO};
        dependency.memoryBarrierCount = 1;
        dependency.pMemoryBarriers = &barrier;
        driver.seenCommands.clear();
        COOPVK_INSTANCE_COMMAND(driver, vkCmdPipelineBarrier2)(commands, &dependency);
        COOPVK_INSTANCE_COMMAND(driver, vkCmdResetEvent2)(commands, VK_NULL_HANDLE, kStage);
        VkSemaphoreSubmitInfo semaphore = {VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO};
        semaphore.stageMask = kStage;
        VkSubmitInfo2 submitted = {VK_STRUCTURE_TYPE_SUBMIT_INFO_2};
        submitted.waitSemaphoreInfoCount = 1;
        submitted.pWaitSemaphoreInfos = &semaphore;
        // A queue has its device's dispatch key.
        COOPVK_INSTANCE_COMMAND(driver, vkQueueSubmit2)
        (reinterpret_cast<VkQueue>(device), 1, &submitted, VK_NULL_HANDLE);
        EXPECT_EQ(driver.seenCommands,
                  (std::vector<SeenCommand>{{"vkCmdPipelineBarrier2", {stage, stage}},
                                            {"vkCmdResetEvent2", {stage}},
                                            {"vkQueueSubmit2", {stage}}}));
        driver.destroyDevice(device);
    }
    driver.destroyInstance();
}

// Only a device that emulates conversions gives their commands.
TEST(ConversionCommands, OfTheInstance) {
    FakeDriver driver;
    const auto given = [&](const char* emulate) {
        setenv("COOPVK_EMULATE", emulate, 1);
        driver.makeInstance();
        const bool isGiven =
            driver.instanceCommand("vkCmdConvertCooperativeVectorMatrixNV") != nullptr;
        EXPECT_EQ(driver.instanceCommand("vkConvertCooperativeVectorMatrixNV") != nullptr, isGiven);
        driver.destroyInstance();
        unsetenv("COOPVK_EMULATE");
        return isGiven;
    };
    EXPECT_TRUE(given("auto"));
    EXPECT_FALSE(given("VK_KHR_cooperative_matrix"));
    driver.features.reset();
    EXPECT_FALSE(given("auto"));
}

// A query of the application cannot be interrupted, so a line says what it counts.
TEST(ConversionCommands, QueriesThatCountThemAreLogged) {
    FakeDriver driver;
    driver.makeInstance();
    const VkDevice device = makeDevice(driver, VK_NV_COOPERATIVE_VECTOR_EXTENSION_NAME);
    VkCommandBufferAllocateInfo how = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
    how.commandBufferCount = 1;
    VkCommandBuffer commands = VK_NULL_HANDLE;
    ASSERT_EQ(
        COOPVK_DEVICE_COMMAND(driver, device, vkAllocateCommandBuffers)(device, &how, &commands),
        VK_SUCCESS);
    const auto countAs = [&](VkQueryType type, VkQueryPipelineStatisticFlags statistics) {
        VkQueryPoolCreateInfo info = {VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO};
        info.queryType = type;
        info.queryCount = 1;
        info.pipelineStatistics = statistics;
        VkQueryPool pool = VK_NULL_HANDLE;
        EXPECT_EQ(
            COOPVK_DEVICE_COMMAND(driver, device, vkCreateQueryPool)(device, &info, nullptr, &pool),
            VK_SUCCESS);
        testing::internal::CaptureStderr();
        for (int i = 0; i < 2; ++i) {
            COOPVK_DEVICE_COMMAND(driver, device, vkCmdConvertCooperativeVectorMatrixNV)
            (commands, 0, nullptr);
        }
        const std::string text = testing::internal::GetCapturedStderr();
        COOPVK_DEVICE_COMMAND(driver, device, vkDestroyQueryPool)(device, pool, nullptr);
        return std::ranges::count(text, '\n');
    };
    EXPECT_EQ(countAs(VK_QUERY_TYPE_OCCLUSION, 0), 0);
    EXPECT_EQ(countAs(VK_QUERY_TYPE_PIPELINE_STATISTICS,
                      VK_QUERY_PIPELINE_STATISTIC_VERTEX_SHADER_INVOCATIONS_BIT),
              0);
    EXPECT_EQ(countAs(VK_QUERY_TYPE_PIPELINE_STATISTICS,
                      VK_QUERY_PIPELINE_STATISTIC_COMPUTE_SHADER_INVOCATIONS_BIT),
              1);
    COOPVK_DEVICE_COMMAND(driver, device, vkFreeCommandBuffers)(device, {}, 1, &commands);
    driver.destroyDevice(device);
    driver.destroyInstance();
}

TEST_F(Conversions, OnTheHost) {
    EXPECT_EQ(convert(), VK_SUCCESS);
    EXPECT_EQ(target[7], 8);
    info.pDstSize = nullptr;
    EXPECT_EQ(convert(), VK_ERROR_UNKNOWN);
}

// Sizes that wrap around must not look small.
TEST_F(Conversions, TooLarge) {
    info.srcStride = std::numeric_limits<size_t>::max() - 15;
    EXPECT_EQ(convert(), VK_ERROR_UNKNOWN);
    info.srcStride = 16;
    info.dstStride = size_t{1} << (std::numeric_limits<size_t>::digits - 1);
    EXPECT_EQ(convert(), VK_ERROR_UNKNOWN);
    info.dstStride = 16;
    info.numRows = info.numColumns = ~0u;
    info.dstLayout = VK_COOPERATIVE_VECTOR_MATRIX_LAYOUT_INFERENCING_OPTIMAL_NV;
    info.dstData.hostAddress = nullptr;
    EXPECT_EQ(convert(), VK_ERROR_UNKNOWN);
}

// Found by fuzzing: 2^32 empty lines took a minute.
TEST_F(Conversions, ManyEmptyLines) {
    info.numRows = ~0u;
    info.numColumns = 0;
    for (size_t stride : {size_t{0}, size_t{16}}) {
        info.srcStride = info.dstStride = stride;
        EXPECT_EQ(convert(), VK_SUCCESS);
    }
    EXPECT_EQ(target[0], 0);
}

TEST_F(RecordedConversions, OneThatFailsCountsForAll) {
    record();
    info.srcStride = 3;
    record();
    info.srcStride = 16;
    record();
    EXPECT_EQ(driver.dispatches, 2u);
    EXPECT_EQ(end(), VK_ERROR_UNKNOWN);
    begin();
    record();
    EXPECT_EQ(end(), VK_SUCCESS);
}

TEST_F(RecordedConversions, OutOfMemory) {
    {
        const auto convert =
            COOPVK_DEVICE_COMMAND(driver, device, vkCmdConvertCooperativeVectorMatrixNV);
        testing::internal::CaptureStderr();
        {
            const FailingAllocations none(0);
            convert(commands, 1, &info);
        }
        EXPECT_EQ(testing::internal::GetCapturedStderr(), "") << "log_level=off is the device's";
    }
    EXPECT_EQ(end(), VK_ERROR_OUT_OF_HOST_MEMORY);
    begin();
    EXPECT_EQ(end(), VK_SUCCESS);
}

}  // namespace
}  // namespace coopvk::test::conversion_commands_test
