// SPDX-License-Identifier: Apache-2.0
//
// Objects of another device, waits that cannot end, and null pointers within structures.
#include "bad_use.hpp"
#include "size.spv.h"

namespace coopvk::reference::test::odd_use_test {
namespace {

constexpr auto kInvalid = VK_ERROR_VALIDATION_FAILED_EXT;
constexpr auto kStorage = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
constexpr uint64_t kForever = std::numeric_limits<uint64_t>::max();

class OddUse : public BadUse {
 protected:
    VkSemaphore semaphore(VkSemaphoreType type) {
        const VkSemaphoreTypeCreateInfo kind{VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO, nullptr,
                                             type};
        const VkSemaphoreCreateInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, &kind};
        VkSemaphore made = VK_NULL_HANDLE;
        EXPECT_VK(vkCreateSemaphore(device, &info, nullptr, &made));
        return made;
    }
    VkQueryPool queries() {
        const VkQueryPoolCreateInfo info{VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO, nullptr, 0,
                                         VK_QUERY_TYPE_TIMESTAMP, 2};
        VkQueryPool made = VK_NULL_HANDLE;
        EXPECT_VK(vkCreateQueryPool(device, &info, nullptr, &made));
        return made;
    }
    VkResult submit(std::vector<VkSemaphore> waits, std::vector<VkSemaphore> signals) {
        const std::vector<VkPipelineStageFlags> stages(waits.size(),
                                                       VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
        VkSubmitInfo info{VK_STRUCTURE_TYPE_SUBMIT_INFO};
        info.waitSemaphoreCount = uint32_t(waits.size());
        info.pWaitSemaphores = waits.data();
        info.pWaitDstStageMask = stages.data();
        info.signalSemaphoreCount = uint32_t(signals.size());
        info.pSignalSemaphores = signals.data();
        return vkQueueSubmit(queue, 1, &info, VK_NULL_HANDLE);
    }
};

TEST_F(OddUse, ObjectsOfAnotherDevice) {
    const VkDevice first = device;
    const VkQueue firstQueue = queue;
    Words words(first, {1, 2});
    const VkCommandBuffer commands = begun();
    EXPECT_VK(vkEndCommandBuffer(commands));
    const VkFenceCreateInfo info{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    VkFence fence = VK_NULL_HANDLE;
    ASSERT_VK(vkCreateFence(first, &info, nullptr, &fence));
    createDevice();
    ASSERT_NE(device, first);
    {
        Words others(device, {3, 4});  // at the same address
        vkDestroyBuffer(device, words.buffer, nullptr);
        vkFreeCommandBuffers(device, pool, 1, &commands);
        EXPECT_EQ(BadUse::submit(commands), kInvalid);
        EXPECT_EQ(vkGetFenceStatus(device, fence), kInvalid);
        EXPECT_EQ(vkWaitForFences(device, 1, &fence, VK_TRUE, kForever), kInvalid);
        EXPECT_EQ(vkResetFences(device, 1, &fence), kInvalid);
        EXPECT_EQ(vkQueueSubmit(queue, 0, nullptr, fence), kInvalid);
        VkMemoryRequirements needed{};
        vkGetBufferMemoryRequirements(device, words.buffer, &needed);
        EXPECT_EQ(takeMessages().size(), 8u);
        EXPECT_EQ(others.values(), (std::vector<uint32_t>{3, 4}));
    }
    vkDestroyDevice(device, nullptr);
    device = first;
    queue = firstQueue;
    EXPECT_VK(BadUse::submit(commands));
    EXPECT_VK(vkQueueWaitIdle(queue));
    // Another pool of the device.
    const VkCommandPoolCreateInfo poolInfo{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    VkCommandPool another = VK_NULL_HANDLE;
    ASSERT_VK(vkCreateCommandPool(device, &poolInfo, nullptr, &another));
    vkFreeCommandBuffers(device, another, 1, &commands);
    EXPECT_EQ(takeMessages().size(), 1u);
    vkDestroyCommandPool(device, another, nullptr);
    vkDestroyFence(device, fence, nullptr);
}

TEST_F(OddUse, WaitsThatCannotEnd) {
    EXPECT_EQ(vkWaitForFences(device, 0, nullptr, VK_FALSE, kForever), kInvalid);
    VkSemaphoreWaitInfo none{VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO};
    none.flags = VK_SEMAPHORE_WAIT_ANY_BIT;
    EXPECT_EQ(vkWaitSemaphores(device, &none, kForever), kInvalid);
    takeMessages();
    const VkSemaphore binary = semaphore(VK_SEMAPHORE_TYPE_BINARY);
    EXPECT_EQ(submit({binary}, {}), kInvalid);
    EXPECT_VK(submit({}, {binary}));
    EXPECT_EQ(submit({}, {binary}), kInvalid);
    EXPECT_VK(submit({binary}, {binary}));
    EXPECT_VK(submit({binary}, {}));
    EXPECT_EQ(submit({binary}, {}), kInvalid);
    EXPECT_VK(vkQueueWaitIdle(queue));
    EXPECT_EQ(takeMessages().size(), 3u);
    vkDestroySemaphore(device, binary, nullptr);
}

TEST_F(OddUse, QueriesThatNothingWrites) {
    const VkQueryPool made = queries();
    uint64_t value = 7;
    EXPECT_EQ(vkGetQueryPoolResults(device, made, 0, 1, sizeof(value), &value, sizeof(value),
                                    VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT),
              kInvalid);
    expectMessages("coopvk-reference-usage: vkGetQueryPoolResults: ");
    EXPECT_EQ(value, 7u);
    Words result(device, {7, 7});
    EXPECT_EQ(run([&](VkCommandBuffer commands) {
                  vkCmdCopyQueryPoolResults(commands, made, 0, 1, result.buffer, 0, 8,
                                            VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT);
              }),
              VK_ERROR_DEVICE_LOST);
    expectMessages("coopvk-reference-usage: a query is waited for");
    vkDestroyQueryPool(device, made, nullptr);
}

TEST_F(OddUse, SecondaryCommandBuffersThatTheQueueHas) {
    const VkEventCreateInfo info{VK_STRUCTURE_TYPE_EVENT_CREATE_INFO};
    VkEvent event = VK_NULL_HANDLE;
    ASSERT_VK(vkCreateEvent(device, &info, nullptr, &event));
    const VkCommandBuffer secondary = allocate(VK_COMMAND_BUFFER_LEVEL_SECONDARY);
    const VkCommandBufferInheritanceInfo inherited{
        VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO};
    const VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, nullptr, 0,
                                         &inherited};
    EXPECT_VK(vkBeginCommandBuffer(secondary, &begin));
    constexpr VkPipelineStageFlags kAll = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    for (int i = 0; i < 1000; ++i)
        vkCmdWaitEvents(secondary, 1, &event, VK_PIPELINE_STAGE_HOST_BIT, kAll, 0, nullptr, 0,
                        nullptr, 0, nullptr);
    EXPECT_VK(vkEndCommandBuffer(secondary));
    const VkCommandBuffer commands = begun();
    vkCmdExecuteCommands(commands, 1, &secondary);
    EXPECT_VK(vkEndCommandBuffer(commands));
    EXPECT_VK(BadUse::submit(commands));
    EXPECT_EQ(vkResetCommandBuffer(secondary, 0), kInvalid);
    vkFreeCommandBuffers(device, pool, 1, &secondary);
    EXPECT_EQ(takeMessages().size(), 2u);
    EXPECT_VK(vkSetEvent(device, event));
    EXPECT_VK(vkQueueWaitIdle(queue));
    vkFreeCommandBuffers(device, pool, 1, &secondary);
    vkDestroyEvent(device, event, nullptr);
}

TEST_F(OddUse, NullPointersInStructures) {
    Layout layout(device, {binding(0, kStorage)});
    VkShaderModuleCreateInfo code{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, nullptr, 0, 8};
    VkShaderModule module = VK_NULL_HANDLE;
    EXPECT_EQ(vkCreateShaderModule(device, &code, nullptr, &module), kInvalid);
    VkDescriptorSetLayoutCreateInfo sets{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
    sets.bindingCount = 1;
    VkDescriptorSetLayout set = VK_NULL_HANDLE;
    EXPECT_EQ(vkCreateDescriptorSetLayout(device, &sets, nullptr, &set), kInvalid);
    VkPipelineLayoutCreateInfo pipelines{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    pipelines.setLayoutCount = 1;
    VkPipelineLayout none = VK_NULL_HANDLE;
    EXPECT_EQ(vkCreatePipelineLayout(device, &pipelines, nullptr, &none), kInvalid);
    const VkDeviceBufferMemoryRequirements asked{
        VK_STRUCTURE_TYPE_DEVICE_BUFFER_MEMORY_REQUIREMENTS};
    VkMemoryRequirements2 needed{VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2};
    vkGetDeviceBufferMemoryRequirements(device, &asked, &needed);
    const VkBindMemoryStatus status{VK_STRUCTURE_TYPE_BIND_MEMORY_STATUS};
    const VkBindBufferMemoryInfo bind{VK_STRUCTURE_TYPE_BIND_BUFFER_MEMORY_INFO, &status};
    EXPECT_EQ(vkBindBufferMemory2(device, 1, &bind), kInvalid);
    const VkPipelineCreationFeedbackCreateInfo feedback{
        VK_STRUCTURE_TYPE_PIPELINE_CREATION_FEEDBACK_CREATE_INFO};
    VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO, &feedback};
    VkPipeline pipeline = VK_NULL_HANDLE;
    EXPECT_EQ(vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline),
              kInvalid);
    EXPECT_EQ(takeMessages().size(), 6u);
    VkSpecializationInfo constants{1, nullptr, 4, nullptr};
    EXPECT_EQ(create(layout, kSizeWords, "main", &constants), kInvalid);
    EXPECT_EQ(create(layout, kSizeWords, nullptr), kInvalid);
    VkSubmitInfo submission{VK_STRUCTURE_TYPE_SUBMIT_INFO};
    submission.commandBufferCount = 1;
    EXPECT_EQ(vkQueueSubmit(queue, 1, &submission, VK_NULL_HANDLE), kInvalid);
    EXPECT_EQ(takeMessages().size(), 3u);
}

TEST_F(OddUse, ConversionsOfNoMatrix) {
    size_t size = 1024;
    std::vector<std::byte> to(size);
    VkConvertCooperativeVectorMatrixInfoNV info{
        VK_STRUCTURE_TYPE_CONVERT_COOPERATIVE_VECTOR_MATRIX_INFO_NV};
    info.srcSize = size;
    info.pDstSize = &size;
    info.dstData.hostAddress = to.data();
    info.srcComponentType = info.dstComponentType = VK_COMPONENT_TYPE_FLOAT16_KHR;
    info.numRows = info.numColumns = 4;
    info.srcLayout = info.dstLayout = VK_COOPERATIVE_VECTOR_MATRIX_LAYOUT_ROW_MAJOR_NV;
    info.srcStride = info.dstStride = 8;
    EXPECT_EQ(vkConvertCooperativeVectorMatrixNV(device, &info), kInvalid);
    expectMessages("coopvk-reference-usage: vkConvertCooperativeVectorMatrixNV: ");
    info.numRows = info.numColumns = std::numeric_limits<uint32_t>::max();
    info.srcStride = info.dstStride = std::numeric_limits<size_t>::max();
    info.srcData.hostAddress = to.data();
    EXPECT_NE(vkConvertCooperativeVectorMatrixNV(device, &info), VK_SUCCESS);
}

}  // namespace
}  // namespace coopvk::reference::test::odd_use_test
