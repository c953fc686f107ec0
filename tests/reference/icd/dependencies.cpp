// SPDX-License-Identifier: Apache-2.0
#include "dependencies.hpp"

// Needs the types above.
#include "plus_one.spv.h"

namespace coopvk::reference::test {

constexpr auto kStorage = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
constexpr auto kUniform = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;

void Dependent::SetUp() {
    Vulkan::SetUp();
    for (auto& each : words_) each = std::make_unique<Words>(device, std::vector<uint32_t>{1, 2});
    layout_ = std::make_unique<Layout>(
        device, std::vector{binding(0, kStorage), binding(1, kStorage), binding(2, kUniform)},
        VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR);
    for (uint32_t from = 0; from < pipelines_.size(); ++from) {
        const VkSpecializationMapEntry entry{1, 0, sizeof(from)};
        const VkSpecializationInfo info{1, &entry, sizeof(from), &from};
        pipelines_[from] = layout_->pipeline(kPlusOneWords, &info);
    }
}

void Dependent::TearDown() {
    vkDeviceWaitIdle(device);
    for (const VkSemaphore each : semaphores_) vkDestroySemaphore(device, each, nullptr);
    for (const VkEvent each : events_) vkDestroyEvent(device, each, nullptr);
    for (const VkFence each : fences_) vkDestroyFence(device, each, nullptr);
    layout_.reset();
    for (auto& each : words_) each.reset();
    Vulkan::TearDown();
}

void Dependent::expectReports(const std::string& part) {
    vkDeviceWaitIdle(device);
    const auto messages = takeMessages();
    EXPECT_FALSE(messages.empty()) << part;
    for (const std::string& message : messages) {
        EXPECT_NE(message.find("coopvk-reference-dependencies"), std::string::npos) << message;
        EXPECT_NE(message.find(part), std::string::npos) << message;
    }
}

void Dependent::expectNone() {
    vkDeviceWaitIdle(device);
    EXPECT_EQ(takeMessages(), std::vector<std::string>{});
}

void Dependent::check(const std::string& report,
                      const std::function<void(VkCommandBuffer, bool)>& commands) {
    EXPECT_VK(run([&](VkCommandBuffer to) { commands(to, true); }));
    expectNone();
    EXPECT_VK(run([&](VkCommandBuffer to) { commands(to, false); }));
    expectReports(report);
}

void Dependent::checkSubmissions(const std::string& report, const std::function<void(bool)>& both) {
    both(true);
    expectNone();
    both(false);
    expectReports(report);
}

void Dependent::dispatch(VkCommandBuffer commands, size_t source, size_t target, uint32_t from) {
    const VkDescriptorBufferInfo infos[] = {words(source).info(), words(target).info()};
    const VkWriteDescriptorSet writes[] = {write(VK_NULL_HANDLE, 0, kStorage, {&infos[0], 1}),
                                           write(VK_NULL_HANDLE, 1, kStorage, {&infos[1], 1}),
                                           write(VK_NULL_HANDLE, 2, kUniform, {&infos[0], 1})};
    vkCmdPushDescriptorSetKHR(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout_->pipelines, 0, 3,
                              writes);
    const uint64_t push[] = {words(source).address(), 0};
    vkCmdPushConstants(commands, layout_->pipelines, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(push),
                       push);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipelines_[from]);
    vkCmdDispatch(commands, 1, 1, 1);
}

void Dependent::fill(VkCommandBuffer commands, size_t target, uint32_t value) {
    vkCmdFillBuffer(commands, words(target).buffer, 0, 8, value);
}

void Dependent::copy(VkCommandBuffer commands, size_t source, size_t target) {
    const VkBufferCopy region{0, 0, 8};
    vkCmdCopyBuffer(commands, words(source).buffer, words(target).buffer, 1, &region);
}

VkMemoryBarrier2 Dependent::memoryBarrier(Side first, Side second) {
    return {VK_STRUCTURE_TYPE_MEMORY_BARRIER_2,
            nullptr,
            first.stages,
            first.access,
            second.stages,
            second.access};
}

VkDependencyInfo Dependent::infoOf(const VkMemoryBarrier2& barrier) {
    VkDependencyInfo info{VK_STRUCTURE_TYPE_DEPENDENCY_INFO};
    info.memoryBarrierCount = 1;
    info.pMemoryBarriers = &barrier;
    return info;
}

void Dependent::barrier(VkCommandBuffer commands, Side first, Side second) {
    const VkMemoryBarrier2 all = memoryBarrier(first, second);
    const VkDependencyInfo info = infoOf(all);
    vkCmdPipelineBarrier2(commands, &info);
}

void Dependent::bufferBarrier(VkCommandBuffer commands, size_t buffer, Side first, Side second,
                              VkDeviceSize offset, VkDeviceSize size) {
    VkBufferMemoryBarrier2 each{VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER_2};
    each.srcStageMask = first.stages;
    each.srcAccessMask = first.access;
    each.dstStageMask = second.stages;
    each.dstAccessMask = second.access;
    each.srcQueueFamilyIndex = each.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
    each.buffer = words(buffer).buffer;
    each.offset = offset;
    each.size = size;
    VkDependencyInfo info{VK_STRUCTURE_TYPE_DEPENDENCY_INFO};
    info.bufferMemoryBarrierCount = 1;
    info.pBufferMemoryBarriers = &each;
    vkCmdPipelineBarrier2(commands, &info);
}

VkCommandBuffer Dependent::recorded(const std::function<void(VkCommandBuffer)>& commands,
                                    VkCommandBufferLevel level) {
    const VkCommandBuffer buffer = allocate(level);
    const VkCommandBufferInheritanceInfo inherited{
        VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO};
    VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    begin.pInheritanceInfo = &inherited;
    EXPECT_VK(vkBeginCommandBuffer(buffer, &begin));
    commands(buffer);
    EXPECT_VK(vkEndCommandBuffer(buffer));
    return buffer;
}

void Dependent::submit(const std::function<void(VkCommandBuffer)>& commands,
                       std::vector<VkSemaphoreSubmitInfo> waits,
                       std::vector<VkSemaphoreSubmitInfo> signals, VkFence fence) {
    VkCommandBufferSubmitInfo buffer{VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO};
    buffer.commandBuffer = recorded(commands);
    VkSubmitInfo2 info{VK_STRUCTURE_TYPE_SUBMIT_INFO_2};
    info.waitSemaphoreInfoCount = static_cast<uint32_t>(waits.size());
    info.pWaitSemaphoreInfos = waits.data();
    info.commandBufferInfoCount = 1;
    info.pCommandBufferInfos = &buffer;
    info.signalSemaphoreInfoCount = static_cast<uint32_t>(signals.size());
    info.pSignalSemaphoreInfos = signals.data();
    EXPECT_VK(vkQueueSubmit2(queue, 1, &info, fence));
}

VkSemaphore Dependent::semaphore(VkSemaphoreType type) {
    const VkSemaphoreTypeCreateInfo kind{VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO, nullptr,
                                         type, 0};
    const VkSemaphoreCreateInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, &kind};
    EXPECT_VK(vkCreateSemaphore(device, &info, nullptr, &semaphores_.emplace_back()));
    return semaphores_.back();
}

void Dependent::waitFor(VkSemaphore semaphore, uint64_t value) {
    VkSemaphoreWaitInfo wait{VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO};
    wait.semaphoreCount = 1;
    wait.pSemaphores = &semaphore;
    wait.pValues = &value;
    EXPECT_VK(vkWaitSemaphores(device, &wait, UINT64_MAX));
}

VkEvent Dependent::event() {
    const VkEventCreateInfo info{VK_STRUCTURE_TYPE_EVENT_CREATE_INFO};
    EXPECT_VK(vkCreateEvent(device, &info, nullptr, &events_.emplace_back()));
    return events_.back();
}

VkFence Dependent::fence() {
    const VkFenceCreateInfo info{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    EXPECT_VK(vkCreateFence(device, &info, nullptr, &fences_.emplace_back()));
    return fences_.back();
}

}  // namespace coopvk::reference::test
