// SPDX-License-Identifier: Apache-2.0
//
// Commands that name pipeline stages, on devices that emulate matrix conversions. Those that are
// recorded or submitted often pass on what they get, unless it names what must be translated.
#include <algorithm>
#include <span>

#include "chain/pnext.hpp"
#include "conversion/commands.hpp"
#include "conversion/sync_masks.hpp"
#include "objects/guard.hpp"
#include "objects/registry.hpp"

namespace coopvk::layer {
namespace {

// The one of a command's two names that the next layer has.
template <typename Function>
auto either(Function core, Function extension) {
    return noThrow(firstOf(core, extension));
}

// Dependencies of render passes: only a VkMemoryBarrier2 in the chain can name the stage.
const VkSubpassDependency2* chained(uint32_t count, const VkSubpassDependency2* dependencies,
                                    Scratch& scratch) {
    constexpr auto kBarrier = VK_STRUCTURE_TYPE_MEMORY_BARRIER_2;
    const std::span all(dependencies, count);
    VkSubpassDependency2* copies = nullptr;
    for (size_t i = 0; i < all.size(); ++i) {
        const auto* barrier = findNode<VkMemoryBarrier2>(all[i].pNext, kBarrier);
        if (barrier == nullptr || !nameConversions(barrier, 1)) continue;
        if (copies == nullptr) copies = scratch.copyArray(all);
        ChainEditor chain(all[i].pNext, scratch);
        if (auto* copy = chain.edit<VkMemoryBarrier2>(kBarrier)) translateScopes(*copy);
        copies[i].pNext = chain.head();
    }
    return copies != nullptr ? copies : dependencies;
}

// Copies only what names the conversions' stage.
const VkSemaphoreSubmitInfo* translated(uint32_t count, const VkSemaphoreSubmitInfo* infos,
                                        Scratch& scratch) {
    VkSemaphoreSubmitInfo* copies = nullptr;
    for (uint32_t i = 0; i < count; ++i) {
        const VkPipelineStageFlags2 stages = withoutConversions(infos[i].stageMask);
        if (stages == infos[i].stageMask) continue;
        if (copies == nullptr) copies = scratch.copyArray(std::span(infos, count));
        copies[i].stageMask = stages;
    }
    return copies != nullptr ? copies : infos;
}

bool namesConversions(const VkSubmitInfo2& submit) {
    VkPipelineStageFlags2 stages = 0;
    for (const auto& one : std::span(submit.pWaitSemaphoreInfos, submit.waitSemaphoreInfoCount))
        stages |= one.stageMask;
    for (const auto& one : std::span(submit.pSignalSemaphoreInfos, submit.signalSemaphoreInfoCount))
        stages |= one.stageMask;
    return withoutConversions(stages) != stages;
}

// vkGetInstanceProcAddr gives layers above these commands for all devices, also for those whose
// driver converts.
bool emulates(const DeviceContext& device) { return device.conversions != nullptr; }

VkPipelineStageFlags2 translated(const DeviceContext& device, VkPipelineStageFlags2 stages) {
    return emulates(device) ? withoutConversions(stages) : stages;
}

}  // namespace

void cmdPipelineBarrier2(VkCommandBuffer commands, const VkDependencyInfo* info) noexcept {
    const DeviceContext& device = deviceOf(commands);
    const auto next = either(device.next.CmdPipelineBarrier2, device.next.CmdPipelineBarrier2KHR);
    if (!emulates(device) || !mayConvert(*info)) return next(commands, info);
    guarded<"vkCmdPipelineBarrier2">(commands, [&] {
        Scratch scratch;
        next(commands, withoutConversions(info, scratch));
    });
}

void cmdSetEvent2(VkCommandBuffer commands, VkEvent event, const VkDependencyInfo* info) noexcept {
    const DeviceContext& device = deviceOf(commands);
    const auto next = either(device.next.CmdSetEvent2, device.next.CmdSetEvent2KHR);
    if (!emulates(device) || !mayConvert(*info)) return next(commands, event, info);
    guarded<"vkCmdSetEvent2">(commands, [&] {
        Scratch scratch;
        next(commands, event, withoutConversions(info, scratch));
    });
}

void cmdResetEvent2(VkCommandBuffer commands, VkEvent event,
                    VkPipelineStageFlags2 stages) noexcept {
    const DeviceContext& device = deviceOf(commands);
    either(device.next.CmdResetEvent2, device.next.CmdResetEvent2KHR)(commands, event,
                                                                      translated(device, stages));
}

void cmdWaitEvents2(VkCommandBuffer commands, uint32_t count, const VkEvent* events,
                    const VkDependencyInfo* infos) noexcept {
    const DeviceContext& device = deviceOf(commands);
    const auto next = either(device.next.CmdWaitEvents2, device.next.CmdWaitEvents2KHR);
    const auto isConcerned = [](const VkDependencyInfo& info) { return mayConvert(info); };
    if (!emulates(device) || std::ranges::none_of(std::span(infos, count), isConcerned)) {
        return next(commands, count, events, infos);
    }
    guarded<"vkCmdWaitEvents2">(commands, [&] {
        Scratch scratch;
        VkDependencyInfo* copies = scratch.copyArray(std::span(infos, count));
        for (VkDependencyInfo& copy : std::span(copies, count))
            copy = *withoutConversions(&copy, scratch);
        next(commands, count, events, copies);
    });
}

void cmdWriteTimestamp2(VkCommandBuffer commands, VkPipelineStageFlags2 stage, VkQueryPool pool,
                        uint32_t query) noexcept {
    const DeviceContext& device = deviceOf(commands);
    either(device.next.CmdWriteTimestamp2, device.next.CmdWriteTimestamp2KHR)(
        commands, translated(device, stage), pool, query);
}

void cmdWriteBufferMarker2(VkCommandBuffer commands, VkPipelineStageFlags2 stage, VkBuffer buffer,
                           VkDeviceSize offset, uint32_t marker) noexcept {
    const DeviceContext& device = deviceOf(commands);
    noThrow(device.next.CmdWriteBufferMarker2AMD)(commands, translated(device, stage), buffer,
                                                  offset, marker);
}

#ifdef VK_KHR_device_address_commands
void cmdWriteMarkerToMemory(VkCommandBuffer commands, const VkMemoryMarkerInfoAMD* info) noexcept {
    VkMemoryMarkerInfoAMD copy = *info;
    const DeviceContext& device = deviceOf(commands);
    copy.stage = translated(device, info->stage);
    device.next.CmdWriteMarkerToMemoryAMD(commands, &copy);
}
#endif

VkResult queueSubmit2(VkQueue queue, uint32_t count, const VkSubmitInfo2* submits,
                      VkFence fence) noexcept {
    const DeviceContext& device = deviceOf(queue);
    const auto next = either(device.next.QueueSubmit2, device.next.QueueSubmit2KHR);
    if (!emulates(device) || std::ranges::none_of(std::span(submits, count), namesConversions)) {
        return next(queue, count, submits, fence);
    }
    return guarded<"vkQueueSubmit2">(queue, [&] {
        Scratch scratch;
        VkSubmitInfo2* copies = scratch.copyArray(std::span(submits, count));
        for (VkSubmitInfo2& info : std::span(copies, count)) {
            info.pWaitSemaphoreInfos =
                translated(info.waitSemaphoreInfoCount, info.pWaitSemaphoreInfos, scratch);
            info.pSignalSemaphoreInfos =
                translated(info.signalSemaphoreInfoCount, info.pSignalSemaphoreInfos, scratch);
        }
        return next(queue, count, copies, fence);
    });
}

VkResult createRenderPass2(VkDevice device, const VkRenderPassCreateInfo2* original,
                           const VkAllocationCallbacks* allocator, VkRenderPass* renderPass) {
    const DeviceContext& context = deviceOf(device);
    const auto next = either(context.next.CreateRenderPass2, context.next.CreateRenderPass2KHR);
    Scratch scratch;
    VkRenderPassCreateInfo2 info = *original;
    if (emulates(context)) {
        info.pDependencies = chained(info.dependencyCount, info.pDependencies, scratch);
    }
    return next(device, &info, allocator, renderPass);
}

}  // namespace coopvk::layer
