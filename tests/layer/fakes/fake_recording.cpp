// SPDX-License-Identifier: Apache-2.0
//
// Commands in command buffers of the fake driver: they record their arguments, or count calls.
#include <ostream>
#include <span>

#include "fakes/fake_parts.hpp"

namespace coopvk::test {

void PrintTo(const SeenCommand& command, std::ostream* out) {
    *out << command.name;
    for (uint64_t value : command.values) *out << " 0x" << std::hex << value << std::dec;
}

namespace fake {
namespace {

template <typename Function>
struct Counted;

template <typename R, typename... Args>
struct Counted<R(VKAPI_PTR*)(Args...)> {
    static VKAPI_ATTR R VKAPI_CALL call(Args...) {
        ++current()->recorded;
        return R();
    }
};

#define COOPVK_COUNTED(command) \
    {#command, reinterpret_cast<PFN_vkVoidFunction>(&Counted<PFN_##command>::call)}

void see(std::string_view name, std::vector<uint64_t> values) {
    current()->seenCommands.push_back({name, std::move(values)});
}

// The pipeline.
void bindPipeline(VkCommandBuffer, VkPipelineBindPoint, VkPipeline pipeline) {
    see("vkCmdBindPipeline", {numberOf(pipeline)});
}

// The base, and how many workgroups along x.
void dispatchBase(VkCommandBuffer, uint32_t x, uint32_t y, uint32_t z, uint32_t groups, uint32_t,
                  uint32_t) {
    ++current()->dispatches;
    see("vkCmdDispatchBase", {x, y, z, groups});
}

// The stages, and the accesses of the first memory barrier.
void pipelineBarrier(VkCommandBuffer, VkPipelineStageFlags from, VkPipelineStageFlags to,
                     VkDependencyFlags, uint32_t count, const VkMemoryBarrier* memory,
                     uint32_t ofBuffers, const VkBufferMemoryBarrier* buffers, uint32_t ofImages,
                     const VkImageMemoryBarrier* images) {
    bool isValid = (count == 0 || memory != nullptr) && (ofBuffers == 0 || buffers != nullptr) &&
                   (ofImages == 0 || images != nullptr);
    for (uint32_t n = 0; isValid && n < count; ++n)
        isValid = memory[n].sType == VK_STRUCTURE_TYPE_MEMORY_BARRIER;
    if (!isValid) return see("an invalid vkCmdPipelineBarrier", {});
    if (count == 0) return see("vkCmdPipelineBarrier", {from, to});
    see("vkCmdPipelineBarrier", {from, to, memory->srcAccessMask, memory->dstAccessMask});
}

// The stages of each barrier: of memory, of buffers, of images.
std::vector<uint64_t> stagesOf(std::span<const VkDependencyInfo> infos) {
    std::vector<uint64_t> stages;
    const auto add = [&](const auto* barriers, uint32_t count) {
        for (const auto& barrier : std::span(barriers, count))
            stages.insert(stages.end(), {barrier.srcStageMask, barrier.dstStageMask});
    };
    for (const VkDependencyInfo& info : infos) {
        add(info.pMemoryBarriers, info.memoryBarrierCount);
        add(info.pBufferMemoryBarriers, info.bufferMemoryBarrierCount);
        add(info.pImageMemoryBarriers, info.imageMemoryBarrierCount);
    }
    return stages;
}

void pipelineBarrier2(VkCommandBuffer, const VkDependencyInfo* info) {
    ++current()->recorded;
    see("vkCmdPipelineBarrier2", stagesOf({info, 1}));
}

void resetEvent2(VkCommandBuffer, VkEvent, VkPipelineStageFlags2 stages) {
    ++current()->recorded;
    see("vkCmdResetEvent2", {stages});
}

void setEvent2(VkCommandBuffer, VkEvent, const VkDependencyInfo* info) {
    ++current()->recorded;
    see("vkCmdSetEvent2", stagesOf({info, 1}));
}

void waitEvents2(VkCommandBuffer, uint32_t count, const VkEvent*, const VkDependencyInfo* infos) {
    ++current()->recorded;
    see("vkCmdWaitEvents2", stagesOf({infos, count}));
}

void writeTimestamp2(VkCommandBuffer, VkPipelineStageFlags2 stage, VkQueryPool, uint32_t query) {
    ++current()->recorded;
    see("vkCmdWriteTimestamp2", {stage, query});
}

void writeBufferMarker2(VkCommandBuffer, VkPipelineStageFlags2 stage, VkBuffer, VkDeviceSize offset,
                        uint32_t marker) {
    ++current()->recorded;
    see("vkCmdWriteBufferMarker2AMD", {stage, offset, marker});
}

// The stages of the semaphores of each submission.
VkResult queueSubmit2(VkQueue, uint32_t count, const VkSubmitInfo2* submits, VkFence) {
    ++current()->recorded;
    std::vector<uint64_t> stages;
    for (uint32_t i = 0; i < count; ++i) {
        for (uint32_t k = 0; k < submits[i].waitSemaphoreInfoCount; ++k)
            stages.push_back(submits[i].pWaitSemaphoreInfos[k].stageMask);
        for (uint32_t k = 0; k < submits[i].signalSemaphoreInfoCount; ++k)
            stages.push_back(submits[i].pSignalSemaphoreInfos[k].stageMask);
    }
    see("vkQueueSubmit2", std::move(stages));
    return VK_SUCCESS;
}

VkResult createFence(VkDevice, const VkFenceCreateInfo*, const VkAllocationCallbacks* allocator,
                     VkFence* fence) {
    return makeObject(allocator, fence);
}

VkResult getCounter(VkDevice, VkSemaphore, uint64_t*) { return driver().waitResult; }

void dispatch(VkCommandBuffer, uint32_t x, uint32_t y, uint32_t z) {
    ++current()->dispatches;
    see("vkCmdDispatch", {x, y, z});
}

void dispatchIndirect(VkCommandBuffer, VkBuffer, VkDeviceSize) { ++current()->dispatches; }

// The usage.
void getDeviceBufferRequirements(VkDevice, const VkDeviceBufferMemoryRequirements* info,
                                 VkMemoryRequirements2*) {
    const auto* more = static_cast<const VkBaseInStructure*>(info->pCreateInfo->pNext);
    const bool has2 =
        more != nullptr && more->sType == VK_STRUCTURE_TYPE_BUFFER_USAGE_FLAGS_2_CREATE_INFO;
    see("vkGetDeviceBufferMemoryRequirements",
        {has2 ? reinterpret_cast<const VkBufferUsageFlags2CreateInfo*>(more)->usage
              : info->pCreateInfo->usage});
}

// The source, and the size of each region.
void copyBuffer(VkCommandBuffer, VkBuffer source, VkBuffer, uint32_t count,
                const VkBufferCopy* regions) {
    std::vector<uint64_t> values = {numberOf(source)};
    for (uint32_t i = 0; i < count; ++i) values.push_back(regions[i].size);
    see("vkCmdCopyBuffer", std::move(values));
}

// Each shader.
void bindShaders(VkCommandBuffer, uint32_t count, const VkShaderStageFlagBits*,
                 const VkShaderEXT* shaders) {
    ++current()->recorded;
    std::vector<uint64_t> values;
    for (uint32_t i = 0; i < count; ++i)
        values.push_back(shaders != nullptr ? numberOf(shaders[i]) : 0);
    see("vkCmdBindShadersEXT", std::move(values));
}

// The offset in the buffer.
void beginCondition(VkCommandBuffer, const VkConditionalRenderingBeginInfoEXT* info) {
    ++current()->recorded;
    see("vkCmdBeginConditionalRenderingEXT", {info->offset});
}

void endCondition(VkCommandBuffer) {
    ++current()->recorded;
    see("vkCmdEndConditionalRenderingEXT", {});
}

#ifdef VK_KHR_device_address_commands
// The address.
void beginCondition2(VkCommandBuffer, const VkConditionalRenderingBeginInfo2EXT* info) {
    ++current()->recorded;
    see("vkCmdBeginConditionalRendering2EXT", {info->addressRange.address});
}

// Stage, address and marker.
void writeMarker(VkCommandBuffer, const VkMemoryMarkerInfoAMD* info) {
    ++current()->recorded;
    see("vkCmdWriteMarkerToMemoryAMD", {info->stage, info->dstRange.address, info->marker});
}
#endif

const Entry kBasicEntries[] = {
    COOPVK_FAKE(vkCmdBindPipeline, bindPipeline),
    COOPVK_COUNTED(vkCmdPushConstants),
    COOPVK_FAKE(vkCmdDispatchBase, dispatchBase),
    COOPVK_FAKE(vkCmdPipelineBarrier, pipelineBarrier),
};

const Entry kRecordingEntries[] = {
    COOPVK_FAKE(vkCmdBindShadersEXT, bindShaders),
    COOPVK_FAKE(vkCmdDispatch, dispatch),
    COOPVK_FAKE(vkCmdDispatchIndirect, dispatchIndirect),
    COOPVK_FAKE(vkGetDeviceBufferMemoryRequirements, getDeviceBufferRequirements),
    COOPVK_FAKE(vkCmdCopyBuffer, copyBuffer),
    COOPVK_COUNTED(vkCmdPushConstants2),
    COOPVK_COUNTED(vkCmdPushConstants2KHR),
    COOPVK_COUNTED(vkCmdExecuteCommands),
    COOPVK_FAKE(vkCmdBeginConditionalRenderingEXT, beginCondition),
    COOPVK_FAKE(vkCmdEndConditionalRenderingEXT, endCondition),
#ifdef VK_KHR_device_address_commands
    COOPVK_FAKE(vkCmdBeginConditionalRendering2EXT, beginCondition2),
    COOPVK_FAKE(vkCmdWriteMarkerToMemoryAMD, writeMarker),
#endif
#ifdef VK_EXT_descriptor_heap
    COOPVK_COUNTED(vkCmdPushDataEXT),
    COOPVK_COUNTED(vkCmdBindSamplerHeapEXT),
    COOPVK_COUNTED(vkCmdBindResourceHeapEXT),
#endif
    COOPVK_COUNTED(vkCmdBindDescriptorSets),
    COOPVK_COUNTED(vkCmdBindDescriptorSets2),
    COOPVK_COUNTED(vkCmdBindDescriptorSets2KHR),
    COOPVK_COUNTED(vkCmdPushDescriptorSet),
    COOPVK_COUNTED(vkCmdPushDescriptorSetKHR),
    COOPVK_COUNTED(vkCmdPushDescriptorSet2),
    COOPVK_COUNTED(vkCmdPushDescriptorSet2KHR),
    COOPVK_COUNTED(vkCmdPushDescriptorSetWithTemplate),
    COOPVK_COUNTED(vkCmdPushDescriptorSetWithTemplateKHR),
    COOPVK_COUNTED(vkCmdPushDescriptorSetWithTemplate2),
    COOPVK_COUNTED(vkCmdPushDescriptorSetWithTemplate2KHR),
    COOPVK_COUNTED(vkCmdBindDescriptorBuffersEXT),
    COOPVK_COUNTED(vkCmdSetDescriptorBufferOffsetsEXT),
    COOPVK_COUNTED(vkCmdSetDescriptorBufferOffsets2EXT),
    COOPVK_COUNTED(vkCmdBindDescriptorBufferEmbeddedSamplersEXT),
    COOPVK_COUNTED(vkCmdBindDescriptorBufferEmbeddedSamplers2EXT),
    COOPVK_FAKE(vkCmdPipelineBarrier2, pipelineBarrier2),
    COOPVK_COUNTED(vkCmdPipelineBarrier2KHR),
    COOPVK_FAKE(vkCmdSetEvent2, setEvent2),
    COOPVK_COUNTED(vkCmdSetEvent2KHR),
    COOPVK_FAKE(vkCmdResetEvent2, resetEvent2),
    COOPVK_COUNTED(vkCmdResetEvent2KHR),
    COOPVK_FAKE(vkCmdWaitEvents2, waitEvents2),
    COOPVK_COUNTED(vkCmdWaitEvents2KHR),
    COOPVK_FAKE(vkCmdWriteTimestamp2, writeTimestamp2),
    COOPVK_COUNTED(vkCmdWriteTimestamp2KHR),
    COOPVK_FAKE(vkCmdWriteBufferMarker2AMD, writeBufferMarker2),
    COOPVK_FAKE(vkQueueSubmit2, queueSubmit2),
    COOPVK_FAKE(vkCreateFence, createFence),
    COOPVK_FAKE(vkDestroyFence, destroyObject<VkFence>),
    COOPVK_FAKE(vkGetSemaphoreCounterValue, getCounter),
    COOPVK_COUNTED(vkInvalidateMappedMemoryRanges),
    COOPVK_COUNTED(vkResetCommandBuffer),
    COOPVK_COUNTED(vkResetCommandPool),
    COOPVK_COUNTED(vkUpdateDescriptorSetWithTemplate),
    COOPVK_COUNTED(vkBindBufferMemory2),
    COOPVK_COUNTED(vkCreateDescriptorSetLayout),
    COOPVK_COUNTED(vkDestroyDescriptorSetLayout),
    COOPVK_COUNTED(vkAllocateDescriptorSets),
    COOPVK_COUNTED(vkFreeDescriptorSets),
    COOPVK_COUNTED(vkUpdateDescriptorSets),
    COOPVK_COUNTED(vkCreateCommandPool),
    COOPVK_COUNTED(vkResetDescriptorPool),
    COOPVK_COUNTED(vkDestroyDescriptorPool),
    COOPVK_COUNTED(vkQueueSubmit2KHR),
};

}  // namespace

std::span<const Entry> basicRecordingEntries() { return kBasicEntries; }
std::span<const Entry> recordingEntries() { return kRecordingEntries; }

}  // namespace fake
}  // namespace coopvk::test
