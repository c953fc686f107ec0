// SPDX-License-Identifier: Apache-2.0
//
// Commands that name pipeline stages, on devices that emulate matrix conversions.
#include "commands.hpp"
#include "pnext.hpp"
#include "registry.hpp"
#include "sync_masks.hpp"

namespace coopvk::layer {
namespace {

template <typename Function>
Function either(Function core, Function extension) {
    return core != nullptr ? core : extension;
}

// The barriers of the original commands, which name stages once for all barriers.
template <typename Barrier>
const Barrier* ofStages(VkPipelineStageFlags from, VkPipelineStageFlags to, uint32_t count,
                        const Barrier* barriers, Scratch& scratch) {
    return translateBarriers(
        std::span(barriers, count), scratch,
        [&](const Barrier& barrier) {
            return SyncScopes{{from, barrier.srcAccessMask}, {to, barrier.dstAccessMask}};
        },
        setAccesses<Barrier>);
}

// Dependencies of render passes: a VkMemoryBarrier2 in the chain replaces their own masks.
const VkSubpassDependency2* chained(uint32_t count, const VkSubpassDependency2* dependencies,
                                    Scratch& scratch) {
    constexpr auto kBarrier = VK_STRUCTURE_TYPE_MEMORY_BARRIER_2;
    const std::span all(dependencies, count);
    VkSubpassDependency2* copies = nullptr;
    for (size_t i = 0; i < all.size(); ++i) {
        const auto* barrier = findNode<VkMemoryBarrier2>(all[i].pNext, kBarrier);
        const SyncScopes before = barrier != nullptr ? scopesOf(*barrier) : scopesOf(all[i]);
        const SyncScopes after = withoutConversions(before);
        if (after == before) continue;
        if (copies == nullptr) copies = scratch.copyArray(all);
        if (barrier == nullptr) {
            setScopes(copies[i], after);
            continue;
        }
        ChainEditor chain(all[i].pNext, scratch);
        if (auto* copy = chain.edit<VkMemoryBarrier2>(kBarrier)) setScopes(*copy, after);
        copies[i].pNext = chain.head();
    }
    return copies != nullptr ? copies : dependencies;
}

}  // namespace

void cmdPipelineBarrier(VkCommandBuffer commands, VkPipelineStageFlags from,
                        VkPipelineStageFlags to, VkDependencyFlags flags, uint32_t memoryCount,
                        const VkMemoryBarrier* memory, uint32_t bufferCount,
                        const VkBufferMemoryBarrier* buffers, uint32_t imageCount,
                        const VkImageMemoryBarrier* images) {
    Scratch scratch;
    devices().find(commands)->next.CmdPipelineBarrier(
        commands, from, to, flags, memoryCount, ofStages(from, to, memoryCount, memory, scratch),
        bufferCount, ofStages(from, to, bufferCount, buffers, scratch), imageCount,
        ofStages(from, to, imageCount, images, scratch));
}

void cmdWaitEvents(VkCommandBuffer commands, uint32_t count, const VkEvent* events,
                   VkPipelineStageFlags from, VkPipelineStageFlags to, uint32_t memoryCount,
                   const VkMemoryBarrier* memory, uint32_t bufferCount,
                   const VkBufferMemoryBarrier* buffers, uint32_t imageCount,
                   const VkImageMemoryBarrier* images) {
    Scratch scratch;
    devices().find(commands)->next.CmdWaitEvents(
        commands, count, events, from, to, memoryCount,
        ofStages(from, to, memoryCount, memory, scratch), bufferCount,
        ofStages(from, to, bufferCount, buffers, scratch), imageCount,
        ofStages(from, to, imageCount, images, scratch));
}

void cmdPipelineBarrier2(VkCommandBuffer commands, const VkDependencyInfo* info) {
    const auto device = devices().find(commands);
    Scratch scratch;
    either(device->next.CmdPipelineBarrier2, device->next.CmdPipelineBarrier2KHR)(
        commands, withoutConversions(info, scratch));
}

void cmdSetEvent2(VkCommandBuffer commands, VkEvent event, const VkDependencyInfo* info) {
    const auto device = devices().find(commands);
    Scratch scratch;
    either(device->next.CmdSetEvent2, device->next.CmdSetEvent2KHR)(
        commands, event, withoutConversions(info, scratch));
}

void cmdResetEvent2(VkCommandBuffer commands, VkEvent event, VkPipelineStageFlags2 stages) {
    const auto device = devices().find(commands);
    either(device->next.CmdResetEvent2, device->next.CmdResetEvent2KHR)(commands, event,
                                                                        withoutConversions(stages));
}

void cmdWaitEvents2(VkCommandBuffer commands, uint32_t count, const VkEvent* events,
                    const VkDependencyInfo* infos) {
    const auto device = devices().find(commands);
    Scratch scratch;
    VkDependencyInfo* copies = scratch.copyArray(std::span(infos, count));
    for (uint32_t i = 0; i < count; ++i) copies[i] = *withoutConversions(&infos[i], scratch);
    either(device->next.CmdWaitEvents2, device->next.CmdWaitEvents2KHR)(commands, count, events,
                                                                        copies);
}

void cmdWriteTimestamp2(VkCommandBuffer commands, VkPipelineStageFlags2 stage, VkQueryPool pool,
                        uint32_t query) {
    const auto device = devices().find(commands);
    either(device->next.CmdWriteTimestamp2, device->next.CmdWriteTimestamp2KHR)(
        commands, withoutConversions(stage), pool, query);
}

void cmdWriteBufferMarker2(VkCommandBuffer commands, VkPipelineStageFlags2 stage, VkBuffer buffer,
                           VkDeviceSize offset, uint32_t marker) {
    devices().find(commands)->next.CmdWriteBufferMarker2AMD(commands, withoutConversions(stage),
                                                            buffer, offset, marker);
}

#ifdef VK_KHR_device_address_commands
void cmdWriteMarkerToMemory(VkCommandBuffer commands, const VkMemoryMarkerInfoAMD* info) {
    VkMemoryMarkerInfoAMD copy = *info;
    copy.stage = withoutConversions(info->stage);
    devices().find(commands)->next.CmdWriteMarkerToMemoryAMD(commands, &copy);
}
#endif

VkResult queueSubmit2(VkQueue queue, uint32_t count, const VkSubmitInfo2* submits, VkFence fence) {
    const auto device = devices().find(queue);
    Scratch scratch;
    const auto semaphores = [&](uint32_t n, const VkSemaphoreSubmitInfo* infos) {
        VkSemaphoreSubmitInfo* copies = scratch.copyArray(std::span(infos, n));
        for (auto& info : std::span(copies, n)) info.stageMask = withoutConversions(info.stageMask);
        return copies;
    };
    VkSubmitInfo2* copies = scratch.copyArray(std::span(submits, count));
    for (auto& info : std::span(copies, count)) {
        info.pWaitSemaphoreInfos =
            semaphores(info.waitSemaphoreInfoCount, info.pWaitSemaphoreInfos);
        info.pSignalSemaphoreInfos =
            semaphores(info.signalSemaphoreInfoCount, info.pSignalSemaphoreInfos);
    }
    return either(device->next.QueueSubmit2, device->next.QueueSubmit2KHR)(queue, count, copies,
                                                                           fence);
}

VkResult createRenderPass(VkDevice device, const VkRenderPassCreateInfo* original,
                          const VkAllocationCallbacks* allocator, VkRenderPass* renderPass) {
    Scratch scratch;
    VkRenderPassCreateInfo info = *original;
    info.pDependencies =
        withoutConversions(std::span(info.pDependencies, info.dependencyCount), scratch);
    return devices().find(device)->next.CreateRenderPass(device, &info, allocator, renderPass);
}

VkResult createRenderPass2(VkDevice device, const VkRenderPassCreateInfo2* original,
                           const VkAllocationCallbacks* allocator, VkRenderPass* renderPass) {
    const auto context = devices().find(device);
    Scratch scratch;
    VkRenderPassCreateInfo2 info = *original;
    info.pDependencies = chained(info.dependencyCount, info.pDependencies, scratch);
    return either(context->next.CreateRenderPass2, context->next.CreateRenderPass2KHR)(
        device, &info, allocator, renderPass);
}

}  // namespace coopvk::layer
