// SPDX-License-Identifier: Apache-2.0
#include "vulkan.hpp"

namespace coopvk::reference::test::synchronization_test {
namespace {

class Synchronization : public Vulkan {
 protected:
    VkSemaphore makeSemaphore(VkSemaphoreType type) {
        const VkSemaphoreTypeCreateInfo kind{VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO, nullptr,
                                             type, 0};
        const VkSemaphoreCreateInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, &kind};
        VkSemaphore semaphore = VK_NULL_HANDLE;
        EXPECT_VK(vkCreateSemaphore(device, &info, nullptr, &semaphore));
        return semaphore;
    }

    VkSemaphoreSubmitInfo at(VkSemaphore semaphore, uint64_t value) {
        return {VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO, nullptr, semaphore, value,
                VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,    0};
    }

    void submit(std::vector<VkSemaphoreSubmitInfo> waits,
                std::vector<VkSemaphoreSubmitInfo> signals, VkFence fence = VK_NULL_HANDLE) {
        VkSubmitInfo2 info{VK_STRUCTURE_TYPE_SUBMIT_INFO_2};
        info.waitSemaphoreInfoCount = static_cast<uint32_t>(waits.size());
        info.pWaitSemaphoreInfos = waits.data();
        info.signalSemaphoreInfoCount = static_cast<uint32_t>(signals.size());
        info.pSignalSemaphoreInfos = signals.data();
        EXPECT_VK(vkQueueSubmit2(queue, 1, &info, fence));
    }
};

// A wait may be submitted before the signal (Vulkan specification, "Semaphore Waiting").
TEST_F(Synchronization, TimelineWaitsBeforeItsSignal) {
    const VkSemaphore semaphore = makeSemaphore(VK_SEMAPHORE_TYPE_TIMELINE);
    submit({at(semaphore, 3)}, {at(semaphore, 5)});
    uint64_t value = 5;
    VkSemaphoreWaitInfo wait{VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO};
    wait.semaphoreCount = 1;
    wait.pSemaphores = &semaphore;
    wait.pValues = &value;
    EXPECT_EQ(vkWaitSemaphores(device, &wait, 1000), VK_TIMEOUT);
    const VkSemaphoreSignalInfo signal{VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, nullptr, semaphore,
                                       3};
    EXPECT_VK(vkSignalSemaphore(device, &signal));
    EXPECT_VK(vkWaitSemaphores(device, &wait, UINT64_MAX));
    EXPECT_VK(vkGetSemaphoreCounterValue(device, semaphore, &value));
    EXPECT_EQ(value, 5u);
    EXPECT_VK(vkQueueWaitIdle(queue));
    vkDestroySemaphore(device, semaphore, nullptr);
}

TEST_F(Synchronization, BinarySemaphoresOrderSubmissions) {
    const VkSemaphore semaphore = makeSemaphore(VK_SEMAPHORE_TYPE_BINARY);
    const VkFenceCreateInfo info{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    VkFence fence = VK_NULL_HANDLE;
    ASSERT_VK(vkCreateFence(device, &info, nullptr, &fence));
    EXPECT_EQ(vkGetFenceStatus(device, fence), VK_NOT_READY);
    submit({}, {at(semaphore, 0)});
    submit({at(semaphore, 0)}, {}, fence);
    EXPECT_VK(vkWaitForFences(device, 1, &fence, VK_TRUE, UINT64_MAX));
    EXPECT_VK(vkResetFences(device, 1, &fence));
    EXPECT_EQ(vkWaitForFences(device, 1, &fence, VK_TRUE, 1000), VK_TIMEOUT);
    vkDestroyFence(device, fence, nullptr);
    vkDestroySemaphore(device, semaphore, nullptr);
}

TEST_F(Synchronization, WaitsForAny) {
    const VkSemaphore semaphores[] = {makeSemaphore(VK_SEMAPHORE_TYPE_TIMELINE),
                                      makeSemaphore(VK_SEMAPHORE_TYPE_TIMELINE)};
    const uint64_t values[] = {1, 1};
    VkSemaphoreWaitInfo wait{VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO};
    wait.semaphoreCount = 2;
    wait.pSemaphores = semaphores;
    wait.pValues = values;
    submit({}, {at(semaphores[1], 1)});
    EXPECT_VK(vkQueueWaitIdle(queue));
    EXPECT_EQ(vkWaitSemaphores(device, &wait, 0), VK_TIMEOUT);
    wait.flags = VK_SEMAPHORE_WAIT_ANY_BIT;
    EXPECT_VK(vkWaitSemaphores(device, &wait, 0));
    for (const VkSemaphore semaphore : semaphores) vkDestroySemaphore(device, semaphore, nullptr);
}

// One event that the host sets before the submission, and one that the queue sets.
TEST_F(Synchronization, EventsOfHostAndQueue) {
    const VkEventCreateInfo info{VK_STRUCTURE_TYPE_EVENT_CREATE_INFO};
    VkEvent events[2] = {};
    for (VkEvent& event : events) ASSERT_VK(vkCreateEvent(device, &info, nullptr, &event));
    EXPECT_VK(vkSetEvent(device, events[0]));
    Words target(device, {0, 0});
    constexpr VkPipelineStageFlags kAll = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    EXPECT_VK(run([&](VkCommandBuffer commands) {
        vkCmdWaitEvents(commands, 1, &events[0], VK_PIPELINE_STAGE_HOST_BIT, kAll, 0, nullptr, 0,
                        nullptr, 0, nullptr);
        vkCmdFillBuffer(commands, target.buffer, 0, 8, 2);
        vkCmdSetEvent(commands, events[1], kAll);
        vkCmdWaitEvents(commands, 1, &events[1], kAll, kAll, 0, nullptr, 0, nullptr, 0, nullptr);
    }));
    EXPECT_EQ(target.values(), (std::vector<uint32_t>{2, 2}));
    EXPECT_EQ(vkGetEventStatus(device, events[1]), VK_EVENT_SET);
    EXPECT_VK(vkResetEvent(device, events[1]));
    EXPECT_EQ(vkGetEventStatus(device, events[1]), VK_EVENT_RESET);
    for (const VkEvent event : events) vkDestroyEvent(device, event, nullptr);
}

}  // namespace
}  // namespace coopvk::reference::test::synchronization_test
