// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "fakes/host_conversion.hpp"
#include "starving.hpp"

namespace coopvk::test {
namespace {

// Dependencies that name the conversions' stage, so that they are rewritten.
constexpr VkPipelineStageFlags2 kStage =
    VK_PIPELINE_STAGE_2_CONVERT_COOPERATIVE_VECTOR_MATRIX_BIT_NV;

struct Dependency {
    VkMemoryBarrier2 memory = {
        VK_STRUCTURE_TYPE_MEMORY_BARRIER_2, nullptr, kStage,
        VK_ACCESS_2_TRANSFER_WRITE_BIT,     kStage,  VK_ACCESS_2_TRANSFER_READ_BIT};
    VkDependencyInfo info = {VK_STRUCTURE_TYPE_DEPENDENCY_INFO};
    Dependency() {
        info.memoryBarrierCount = 1;
        info.pMemoryBarriers = &memory;
    }
};

VkResult allocateCommands(Rig& rig, const char* name) {
    VkCommandBufferAllocateInfo info = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
    info.commandBufferCount = 3;
    VkCommandBuffer made[3] = {};
    const VkResult result =
        rig.command<PFN_vkAllocateCommandBuffers>(name)(rig.device, &info, made);
    if (result != VK_SUCCESS) return result;
    rig.command<PFN_vkFreeCommandBuffers>("vkFreeCommandBuffers")(rig.device, VK_NULL_HANDLE, 3,
                                                                  made);
    return VK_SUCCESS;
}

VkResult freeCommands(Rig& rig, const char* name) {
    rig.command<PFN_vkFreeCommandBuffers>(name)(rig.device, VK_NULL_HANDLE, 1, &rig.commands);
    rig.commands = VK_NULL_HANDLE;
    return VK_SUCCESS;
}

VkResult destroyPool(Rig& rig, const char* name) {
    const auto pool = reinterpret_cast<VkCommandPool>(uint64_t{9});
    rig.command<PFN_vkDestroyCommandPool>(name)(rig.device, pool, rig.allocator());
    rig.commands = VK_NULL_HANDLE;
    return VK_SUCCESS;
}

VkResult beginCommands(Rig& rig, const char*) { return rig.begin(); }
VkResult endCommands(Rig& rig, const char*) { return rig.end(); }

VkResult bindPipeline(Rig& rig, const char* name) {
    rig.command<PFN_vkCmdBindPipeline>(name)(rig.commands, VK_PIPELINE_BIND_POINT_COMPUTE,
                                             VK_NULL_HANDLE);
    return VK_SUCCESS;
}

VkResult bindShaders(Rig& rig, const char* name) {
    const VkShaderStageFlagBits stage = VK_SHADER_STAGE_COMPUTE_BIT;
    rig.command<PFN_vkCmdBindShadersEXT>(name)(rig.commands, 1, &stage, nullptr);
    return VK_SUCCESS;
}

VkResult executeCommands(Rig& rig, const char* name) {
    rig.command<PFN_vkCmdExecuteCommands>(name)(rig.commands, 0, nullptr);
    return VK_SUCCESS;
}

VkResult beginCondition(Rig& rig, const char* name) {
    const VkConditionalRenderingBeginInfoEXT info = {
        VK_STRUCTURE_TYPE_CONDITIONAL_RENDERING_BEGIN_INFO_EXT};
    rig.command<PFN_vkCmdBeginConditionalRenderingEXT>(name)(rig.commands, &info);
    return VK_SUCCESS;
}

#ifdef VK_KHR_device_address_commands
VkResult beginCondition2(Rig& rig, const char* name) {
    const VkConditionalRenderingBeginInfo2EXT info = {
        VK_STRUCTURE_TYPE_CONDITIONAL_RENDERING_BEGIN_INFO_2_EXT};
    rig.command<PFN_vkCmdBeginConditionalRendering2EXT>(name)(rig.commands, &info);
    return VK_SUCCESS;
}

VkResult writeMarker(Rig& rig, const char* name) {
    VkMemoryMarkerInfoAMD info = {VK_STRUCTURE_TYPE_MEMORY_MARKER_INFO_AMD};
    info.stage = kStage;
    rig.command<PFN_vkCmdWriteMarkerToMemoryAMD>(name)(rig.commands, &info);
    return VK_SUCCESS;
}
#endif

VkResult endCondition(Rig& rig, const char* name) {
    rig.command<PFN_vkCmdEndConditionalRenderingEXT>(name)(rig.commands);
    return VK_SUCCESS;
}

VkResult barrier2(Rig& rig, const char* name) {
    const Dependency dependency;
    rig.command<PFN_vkCmdPipelineBarrier2>(name)(rig.commands, &dependency.info);
    return VK_SUCCESS;
}

VkResult setEvent2(Rig& rig, const char* name) {
    const Dependency dependency;
    rig.command<PFN_vkCmdSetEvent2>(name)(rig.commands, VK_NULL_HANDLE, &dependency.info);
    return VK_SUCCESS;
}

VkResult resetEvent2(Rig& rig, const char* name) {
    rig.command<PFN_vkCmdResetEvent2>(name)(rig.commands, VK_NULL_HANDLE, kStage);
    return VK_SUCCESS;
}

VkResult waitEvents2(Rig& rig, const char* name) {
    const Dependency dependency;
    const VkEvent event = VK_NULL_HANDLE;
    rig.command<PFN_vkCmdWaitEvents2>(name)(rig.commands, 1, &event, &dependency.info);
    return VK_SUCCESS;
}

VkResult writeTimestamp2(Rig& rig, const char* name) {
    rig.command<PFN_vkCmdWriteTimestamp2>(name)(rig.commands, kStage, VK_NULL_HANDLE, 0);
    return VK_SUCCESS;
}

VkResult writeMarker2(Rig& rig, const char* name) {
    rig.command<PFN_vkCmdWriteBufferMarker2AMD>(name)(rig.commands, kStage, VK_NULL_HANDLE, 0, 0);
    return VK_SUCCESS;
}

VkResult submit2(Rig& rig, const char* name) {
    VkSemaphoreSubmitInfo semaphore = {VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO};
    semaphore.stageMask = kStage;
    VkSubmitInfo2 info = {VK_STRUCTURE_TYPE_SUBMIT_INFO_2};
    info.waitSemaphoreInfoCount = info.signalSemaphoreInfoCount = 1;
    info.pWaitSemaphoreInfos = info.pSignalSemaphoreInfos = &semaphore;
    return rig.command<PFN_vkQueueSubmit2>(name)(rig.queue(), 1, &info, VK_NULL_HANDLE);
}

VkResult createRenderPass2(Rig& rig, const char* name) {
    Dependency inChain;
    VkSubpassDependency2 dependency = {VK_STRUCTURE_TYPE_SUBPASS_DEPENDENCY_2, &inChain.memory};
    VkRenderPassCreateInfo2 info = {VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO_2};
    info.dependencyCount = 1;
    info.pDependencies = &dependency;
    return rig.command<PFN_vkCreateRenderPass2>(name)(rig.device, &info, rig.allocator(),
                                                      &rig.renderPasses[0]);
}

VkResult createQueries(Rig& rig, const char* name) {
    VkQueryPoolCreateInfo info = {VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO};
    info.queryType = VK_QUERY_TYPE_PIPELINE_STATISTICS;
    info.pipelineStatistics = VK_QUERY_PIPELINE_STATISTIC_COMPUTE_SHADER_INVOCATIONS_BIT;
    VkQueryPool pool = VK_NULL_HANDLE;
    const VkResult result =
        rig.command<PFN_vkCreateQueryPool>(name)(rig.device, &info, rig.allocator(), &pool);
    if (result != VK_SUCCESS) return result;
    rig.command<PFN_vkDestroyQueryPool>("vkDestroyQueryPool")(rig.device, pool, rig.allocator());
    return VK_SUCCESS;
}

VkResult convert(Rig& rig, const char* name) {
    const HostConversion conversion;
    const auto call = rig.command<PFN_vkConvertCooperativeVectorMatrixNV>(name);
    if (VkResult result = call(rig.device, &conversion.info); result != VK_SUCCESS) return result;
    HostConversion wrong;
    wrong.info.srcSize = 1;
    const VkResult result = call(rig.device, &wrong.info);
    EXPECT_LT(result, 0);
    return result == VK_ERROR_UNKNOWN ? VK_SUCCESS : result;
}

// While a condition is active; the first conversion makes the pipeline and the memory for
// arguments.
VkResult recordConversion(Rig& rig, const char* name) {
    beginCondition(rig, "vkCmdBeginConditionalRenderingEXT");
    const HostConversion conversion;
    const auto call = rig.command<PFN_vkCmdConvertCooperativeVectorMatrixNV>(name);
    call(rig.commands, 1, &conversion.info);
    const uint32_t before = rig.driver.recorded;
    call(rig.commands, 1, &conversion.info);
    EXPECT_EQ((rig.driver.recorded - before) % 2, 0u) << "conditions begin and end in pairs";
    return VK_SUCCESS;
}

const StarvingCommand kRecordedCommands[] = {
    {"vkAllocateCommandBuffers", Before::kDevice, allocateCommands},
    {"vkCreateQueryPool", Before::kDevice, createQueries},
    {"vkFreeCommandBuffers", Before::kCommands, freeCommands},
    {"vkDestroyCommandPool", Before::kCommands, destroyPool},
    {"vkBeginCommandBuffer", Before::kCommands, beginCommands},
    {"vkEndCommandBuffer", Before::kCommands, endCommands},
    {"vkCmdBindPipeline", Before::kCommands, bindPipeline},
    {"vkCmdBindShadersEXT", Before::kCommands, bindShaders},
    {"vkCmdExecuteCommands", Before::kCommands, executeCommands},
    {"vkCmdBeginConditionalRenderingEXT", Before::kCommands, beginCondition},
    {"vkCmdEndConditionalRenderingEXT", Before::kCommands, endCondition},
#ifdef VK_KHR_device_address_commands
    {"vkCmdBeginConditionalRendering2EXT", Before::kCommands, beginCondition2},
    {"vkCmdWriteMarkerToMemoryAMD", Before::kCommands, writeMarker},
#endif
    {"vkCmdPipelineBarrier2", Before::kCommands, barrier2},
    {"vkCmdPipelineBarrier2KHR", Before::kCommands, barrier2},
    {"vkCmdSetEvent2", Before::kCommands, setEvent2},
    {"vkCmdSetEvent2KHR", Before::kCommands, setEvent2},
    {"vkCmdResetEvent2", Before::kCommands, resetEvent2},
    {"vkCmdResetEvent2KHR", Before::kCommands, resetEvent2},
    {"vkCmdWaitEvents2", Before::kCommands, waitEvents2},
    {"vkCmdWaitEvents2KHR", Before::kCommands, waitEvents2},
    {"vkCmdWriteTimestamp2", Before::kCommands, writeTimestamp2},
    {"vkCmdWriteTimestamp2KHR", Before::kCommands, writeTimestamp2},
    {"vkCmdWriteBufferMarker2AMD", Before::kCommands, writeMarker2},
    {"vkQueueSubmit2", Before::kDevice, submit2},
    {"vkQueueSubmit2KHR", Before::kDevice, submit2},
    {"vkCreateRenderPass2", Before::kDevice, createRenderPass2},
    {"vkCreateRenderPass2KHR", Before::kDevice, createRenderPass2},
    {"vkConvertCooperativeVectorMatrixNV", Before::kDevice, convert},
    {"vkCmdConvertCooperativeVectorMatrixNV", Before::kCommands, recordConversion},
};

}  // namespace

std::span<const StarvingCommand> starvingRecordedCommands() { return kRecordedCommands; }

}  // namespace coopvk::test
