// SPDX-License-Identifier: Apache-2.0
//
// Matrix conversions among other commands: barriers, events, timestamps, submissions and render
// passes may name the conversion's stage.
#include <gtest/gtest.h>

#include <algorithm>

#include "harness/random.hpp"
#include "harness/requirement.hpp"
#include "harness/round_trip.hpp"
#include "harness/samples.hpp"

namespace coopvk::test::convert_commands_test {
namespace {

constexpr VkPipelineStageFlags2 kStage =
    VK_PIPELINE_STAGE_2_CONVERT_COOPERATIVE_VECTOR_MATRIX_BIT_NV;

TEST(ConvertCommands, Barrier) {
    expectRoundTrip([](Commands& commands, const Memory& memory) {
        recordThere(commands.primary, memory);
        conversionBarrier(commands.primary);
        recordBack(commands.primary, memory);
    });
}

// The original barriers cannot name the stage, but all commands.
TEST(ConvertCommands, OriginalBarrier) {
    expectRoundTrip([](Commands& commands, const Memory& memory) {
        recordThere(commands.primary, memory);
        VkMemoryBarrier barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
        barrier.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
        barrier.dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT;
        vkCmdPipelineBarrier(commands.primary, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                             VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 1, &barrier, 0, nullptr, 0,
                             nullptr);
        recordBack(commands.primary, memory);
    });
}

TEST(ConvertCommands, BufferBarrier) {
    expectRoundTrip([](Commands& commands, const Memory& memory) {
        recordThere(commands.primary, memory);
        VkBufferMemoryBarrier2 barrier{VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER_2};
        barrier.srcStageMask = kStage | VK_PIPELINE_STAGE_2_COPY_BIT;
        barrier.srcAccessMask = VK_ACCESS_2_TRANSFER_WRITE_BIT;
        barrier.dstStageMask = kStage;
        barrier.dstAccessMask = VK_ACCESS_2_MEMORY_READ_BIT;
        barrier.buffer = memory.handle();
        barrier.size = VK_WHOLE_SIZE;
        VkDependencyInfo info{VK_STRUCTURE_TYPE_DEPENDENCY_INFO};
        info.bufferMemoryBarrierCount = 1;
        info.pBufferMemoryBarriers = &barrier;
        vkCmdPipelineBarrier2(commands.primary, &info);
        recordBack(commands.primary, memory);
    });
}

TEST(ConvertCommands, Event) {
    const VkDevice device = Context::get().device;
    const VkEventCreateInfo created{VK_STRUCTURE_TYPE_EVENT_CREATE_INFO, nullptr,
                                    VK_EVENT_CREATE_DEVICE_ONLY_BIT};
    VkEvent event = VK_NULL_HANDLE;
    COOPVK_CHECK(vkCreateEvent(device, &created, nullptr, &event));
    expectRoundTrip([&](Commands& commands, const Memory& memory) {
        recordThere(commands.primary, memory);
        VkMemoryBarrier2 barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER_2};
        barrier.srcStageMask = kStage;
        barrier.srcAccessMask = VK_ACCESS_2_TRANSFER_WRITE_BIT;
        barrier.dstStageMask = kStage;
        barrier.dstAccessMask = VK_ACCESS_2_TRANSFER_READ_BIT;
        VkDependencyInfo info{VK_STRUCTURE_TYPE_DEPENDENCY_INFO};
        info.memoryBarrierCount = 1;
        info.pMemoryBarriers = &barrier;
        vkCmdSetEvent2(commands.primary, event, &info);
        vkCmdWaitEvents2(commands.primary, 1, &event, &info);
        vkCmdResetEvent2(commands.primary, event, kStage);
        recordBack(commands.primary, memory);
    });
    vkDestroyEvent(device, event, nullptr);
}

TEST(ConvertCommands, Timestamp) {
    const VkDevice device = Context::get().device;
    VkQueryPoolCreateInfo created{VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO};
    created.queryType = VK_QUERY_TYPE_TIMESTAMP;
    created.queryCount = 2;
    VkQueryPool pool = VK_NULL_HANDLE;
    COOPVK_CHECK(vkCreateQueryPool(device, &created, nullptr, &pool));
    expectRoundTrip([&](Commands& commands, const Memory& memory) {
        vkCmdResetQueryPool(commands.primary, pool, 0, 2);
        vkCmdWriteTimestamp2(commands.primary, VK_PIPELINE_STAGE_2_NONE, pool, 0);
        recordThere(commands.primary, memory);
        vkCmdWriteTimestamp2(commands.primary, kStage, pool, 1);
        conversionBarrier(commands.primary);
        recordBack(commands.primary, memory);
    });
    uint64_t times[2] = {};
    COOPVK_CHECK(vkGetQueryPoolResults(device, pool, 0, 2, sizeof(times), times, sizeof(times[0]),
                                       VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT));
    EXPECT_LE(times[0], times[1]);
    vkDestroyQueryPool(device, pool, nullptr);
}

TEST(ConvertCommands, Submission) {
    Context& context = Context::get();
    const std::vector<Bytes> before = roundTripBuffers();
    const Memory memory(context, before);
    Commands first(context), second(context);
    first.begin();
    recordThere(first.primary, memory);
    COOPVK_CHECK(vkEndCommandBuffer(first.primary));
    second.begin();
    recordBack(second.primary, memory);
    second.end();
    VkSemaphoreCreateInfo created{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
    VkSemaphore semaphore = VK_NULL_HANDLE;
    COOPVK_CHECK(vkCreateSemaphore(context.device, &created, nullptr, &semaphore));
    VkSemaphoreSubmitInfo between{VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO};
    between.semaphore = semaphore;
    between.stageMask = kStage;
    VkCommandBufferSubmitInfo buffers[] = {{VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO},
                                           {VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO}};
    buffers[0].commandBuffer = first.primary;
    buffers[1].commandBuffer = second.primary;
    VkSubmitInfo2 submits[] = {{VK_STRUCTURE_TYPE_SUBMIT_INFO_2},
                               {VK_STRUCTURE_TYPE_SUBMIT_INFO_2}};
    for (int i = 0; i < 2; ++i) {
        submits[i].commandBufferInfoCount = 1;
        submits[i].pCommandBufferInfos = &buffers[i];
    }
    submits[0].signalSemaphoreInfoCount = submits[1].waitSemaphoreInfoCount = 1;
    submits[0].pSignalSemaphoreInfos = submits[1].pWaitSemaphoreInfos = &between;
    COOPVK_CHECK(vkQueueSubmit2(context.queue, 2, submits, VK_NULL_HANDLE));
    COOPVK_CHECK(vkQueueWaitIdle(context.queue));
    vkDestroySemaphore(context.device, semaphore, nullptr);
    EXPECT_EQ(difference(memory.read(before)[2], before[0]), "");
}

TEST(ConvertCommands, RenderPassDependency) {
    const VkDevice device = Context::get().device;
    VkMemoryBarrier2 barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER_2};
    barrier.srcStageMask = kStage;
    barrier.srcAccessMask = VK_ACCESS_2_TRANSFER_WRITE_BIT;
    barrier.dstStageMask = VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT;
    barrier.dstAccessMask = VK_ACCESS_2_SHADER_READ_BIT;
    VkSubpassDependency2 dependency{VK_STRUCTURE_TYPE_SUBPASS_DEPENDENCY_2, &barrier};
    dependency.srcSubpass = VK_SUBPASS_EXTERNAL;
    VkSubpassDescription2 subpass{VK_STRUCTURE_TYPE_SUBPASS_DESCRIPTION_2};
    subpass.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS;
    VkRenderPassCreateInfo2 info{VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO_2};
    info.subpassCount = 1;
    info.pSubpasses = &subpass;
    info.dependencyCount = 1;
    info.pDependencies = &dependency;
    VkRenderPass pass = VK_NULL_HANDLE;
    COOPVK_CHECK(vkCreateRenderPass2(device, &info, nullptr, &pass));
    vkDestroyRenderPass(device, pass, nullptr);
    EXPECT_EQ(barrier.srcStageMask, kStage);  // the application's memory stays as it is
}

// Two conversions in one command, with an empty one between them.
TEST(ConvertCommands, Several) {
    const std::vector<Bytes> before = {halves("a"), Rng("x").bytes(querySize(kThere)), halves("b"),
                                       Rng("y").bytes(querySize(kThere))};
    const std::vector<Bytes> after =
        runCommands(before, [&](Commands& commands, const Memory& memory) {
            size_t size = querySize(kThere);
            ConversionRequest none = kThere;
            none.rows = 0;
            VkConvertCooperativeVectorMatrixInfoNV infos[] = {
                kThere.info(64, &size), none.info(64, &size), kThere.info(64, &size)};
            for (size_t i = 0; i < 3; ++i) {
                infos[i].srcData.deviceAddress = memory.address(i / 2 * 2);
                infos[i].dstData.deviceAddress = memory.address(i / 2 * 2 + 1);
            }
            vkCmdConvertCooperativeVectorMatrixNV(commands.primary, 3, infos);
        });
    EXPECT_EQ(difference(after[1], convertOnHost(kThere, before[0], before[1])), "");
    EXPECT_EQ(difference(after[3], convertOnHost(kThere, before[2], before[3])), "");
}

TEST(ConvertCommands, Secondary) {
    expectRoundTrip([](Commands& commands, const Memory& memory) {
        const VkCommandBuffer there = commands.secondary(), back = commands.secondary();
        recordThere(there, memory);
        conversionBarrier(there);
        recordBack(back, memory);
        COOPVK_CHECK(vkEndCommandBuffer(there));
        COOPVK_CHECK(vkEndCommandBuffer(back));
        const VkCommandBuffer both[] = {there, back};
        vkCmdExecuteCommands(commands.primary, 2, both);
    });
}

// A pool with a command buffer that is recorded several times.
class Again {
 public:
    Again() {
        VkCommandPoolCreateInfo created{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
        created.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
        created.queueFamilyIndex = context_.queueFamily;
        COOPVK_CHECK(vkCreateCommandPool(context_.device, &created, nullptr, &pool));
        allocate();
    }
    ~Again() { vkDestroyCommandPool(context_.device, pool, nullptr); }
    Again(const Again&) = delete;
    Again& operator=(const Again&) = delete;

    void allocate() {
        VkCommandBufferAllocateInfo allocation{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
        allocation.commandPool = pool;
        allocation.commandBufferCount = 1;
        COOPVK_CHECK(vkAllocateCommandBuffers(context_.device, &allocation, &commands));
    }
    void begin() const {
        const VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
        COOPVK_CHECK(vkBeginCommandBuffer(commands, &begin));
    }
    // A conversion after a pipeline that does not exist for long.
    void recordState(const Memory& memory) const {
        const Layout layout(context_);
        VkPipeline pipeline = VK_NULL_HANDLE;
        COOPVK_CHECK(createPipeline(context_, layout.pipeline, plain(), {}, &pipeline));
        begin();
        vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
        const uint32_t word = 1;
        vkCmdPushConstants(commands, layout.pipeline, VK_SHADER_STAGE_COMPUTE_BIT, 0, 4, &word);
        recordThere(commands, memory);
        COOPVK_CHECK(vkEndCommandBuffer(commands));
        COOPVK_CHECK(vkResetCommandBuffer(commands, 0));
        vkDestroyPipeline(context_.device, pipeline, nullptr);
    }
    void submit() const {
        COOPVK_CHECK(vkEndCommandBuffer(commands));
        VkSubmitInfo submit{VK_STRUCTURE_TYPE_SUBMIT_INFO};
        submit.commandBufferCount = 1;
        submit.pCommandBuffers = &commands;
        COOPVK_CHECK(vkQueueSubmit(context_.queue, 1, &submit, VK_NULL_HANDLE));
        COOPVK_CHECK(vkQueueWaitIdle(context_.queue));
    }

    VkCommandPool pool = VK_NULL_HANDLE;
    VkCommandBuffer commands = VK_NULL_HANDLE;

 private:
    Context& context_ = Context::get();
};

// A command buffer that is recorded again has no state from before: after a reset of its own, or of
// its pool, and where the driver gives its handle again.
TEST(ConvertCommands, RecordedAgain) {
    Context& context = Context::get();
    const std::vector<Bytes> before = roundTripBuffers();
    Again again;
    for (int way = 0; way < 3; ++way) {
        const Memory memory(context, before);
        again.recordState(memory);
        if (way == 1) COOPVK_CHECK(vkResetCommandPool(context.device, again.pool, 0));
        if (way == 2) {
            vkFreeCommandBuffers(context.device, again.pool, 1, &again.commands);
            again.allocate();
        }
        again.begin();
        recordThere(again.commands, memory);
        conversionBarrier(again.commands);
        recordBack(again.commands, memory);
        again.submit();
        EXPECT_EQ(difference(memory.read(before)[2], before[0]), "");
    }
}

// The end of the recording reports an error in a recorded conversion.
TEST(ConvertCommands, Refused) {
    Context& context = Context::get();
    COOPVK_REQUIRE(Requirement::kEmulation);
    const Memory memory(context, {Bytes(64), Bytes(64)});
    Commands commands(context);
    commands.begin();
    const ConversionRequest wrong = {kThere.from, {VK_COMPONENT_TYPE_SINT8_KHR, kTraining}, 4, 4};
    recordConversion(commands.primary, wrong, memory, 0, 64, 1, 64);
    EXPECT_LT(vkEndCommandBuffer(commands.primary), 0);
}

}  // namespace
}  // namespace coopvk::test::convert_commands_test
