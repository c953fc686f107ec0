// SPDX-License-Identifier: Apache-2.0
#include <volk.h>

#include "commands.hpp"

namespace coopvk::idle {
namespace {

constexpr auto kCompute = VK_PIPELINE_BIND_POINT_COMPUTE;
constexpr auto kComputeStage = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
constexpr auto kAllStages = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
constexpr auto kComputeStage2 = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT;

template <typename Handle>
Handle some() {
    return reinterpret_cast<Handle>(uint64_t{0x1230});
}

const VkMemoryBarrier kMemory = {VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr,
                                 VK_ACCESS_SHADER_WRITE_BIT, VK_ACCESS_SHADER_READ_BIT};
const VkMemoryBarrier kTransfer = {VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr,
                                   VK_ACCESS_TRANSFER_WRITE_BIT, VK_ACCESS_TRANSFER_READ_BIT};
const VkMemoryBarrier2 kMemory2 = {
    VK_STRUCTURE_TYPE_MEMORY_BARRIER_2, nullptr,        kComputeStage2,
    VK_ACCESS_2_SHADER_WRITE_BIT,       kComputeStage2, VK_ACCESS_2_SHADER_READ_BIT};
const VkMemoryBarrier2 kTransfer2 = {
    VK_STRUCTURE_TYPE_MEMORY_BARRIER_2,   nullptr,
    VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, VK_ACCESS_2_TRANSFER_WRITE_BIT,
    VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, VK_ACCESS_2_TRANSFER_READ_BIT};
VkImageMemoryBarrier2 imageBarrier() {
    VkImageMemoryBarrier2 barrier = {VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER_2};
    barrier.srcStageMask = barrier.dstStageMask = kComputeStage2;
    barrier.srcAccessMask = VK_ACCESS_2_SHADER_WRITE_BIT;
    barrier.dstAccessMask = VK_ACCESS_2_SHADER_READ_BIT;
    return barrier;
}
const VkImageMemoryBarrier2 kImages[] = {imageBarrier(), imageBarrier(), imageBarrier(),
                                         imageBarrier()};

VkImageMemoryBarrier2 transferImage() {
    VkImageMemoryBarrier2 barrier = imageBarrier();
    barrier.srcStageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
    barrier.srcAccessMask = VK_ACCESS_2_TRANSFER_WRITE_BIT;
    return barrier;
}
const VkImageMemoryBarrier2 kTransferImage = transferImage();

VkDependencyInfo dependency(const VkMemoryBarrier2* memory, uint32_t imageCount = 0) {
    VkDependencyInfo info = {VK_STRUCTURE_TYPE_DEPENDENCY_INFO};
    info.memoryBarrierCount = 1;
    info.pMemoryBarriers = memory;
    info.imageMemoryBarrierCount = imageCount;
    info.pImageMemoryBarriers = kImages;
    return info;
}
const VkDependencyInfo kDependency = dependency(&kMemory2);
const VkDependencyInfo kTransferDependency = dependency(&kTransfer2);
const VkDependencyInfo kTransferImages = {
    VK_STRUCTURE_TYPE_DEPENDENCY_INFO, nullptr, 0, 0, nullptr, 0, nullptr, 1, &kTransferImage};
const VkDependencyInfo kImageDependency = dependency(&kMemory2, 4);
VkBufferMemoryBarrier2 transferBuffer() {
    VkBufferMemoryBarrier2 barrier = {VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER_2};
    barrier.srcStageMask = barrier.dstStageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
    barrier.srcAccessMask = VK_ACCESS_2_TRANSFER_WRITE_BIT;
    barrier.dstAccessMask = VK_ACCESS_2_TRANSFER_READ_BIT;
    return barrier;
}
const VkBufferMemoryBarrier2 kBuffers[] = {transferBuffer(), transferBuffer()};
const VkDependencyInfo kTransferBuffers = {
    VK_STRUCTURE_TYPE_DEPENDENCY_INFO, nullptr, 0, 0, nullptr, 2, kBuffers, 0, nullptr};

const VkSemaphoreSubmitInfo kSemaphore = {
    VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO, nullptr, VK_NULL_HANDLE, 0, kComputeStage2, 0};
VkSubmitInfo2 submission() {
    VkSubmitInfo2 info = {VK_STRUCTURE_TYPE_SUBMIT_INFO_2};
    info.waitSemaphoreInfoCount = info.signalSemaphoreInfoCount = 1;
    info.pWaitSemaphoreInfos = info.pSignalSemaphoreInfos = &kSemaphore;
    return info;
}
const VkSubmitInfo2 kSubmission = submission();

VkCommandBufferAllocateInfo allocation(const Caller& caller) {
    VkCommandBufferAllocateInfo info = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
    info.commandPool = caller.pool;
    info.commandBufferCount = 1;
    return info;
}

const VkCommandBufferBeginInfo kBegin = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
const VkConditionalRenderingBeginInfoEXT kCondition = {
    VK_STRUCTURE_TYPE_CONDITIONAL_RENDERING_BEGIN_INFO_EXT};
constexpr VkShaderStageFlagBits kStage = VK_SHADER_STAGE_COMPUTE_BIT;
const VkShaderEXT kShader = some<VkShaderEXT>();
const VkEvent kEvent = some<VkEvent>();
constexpr uint32_t kValues[16] = {};

}  // namespace

// X(symbol, name, call by c)
#define COOPVK_ROWS(X)                                                                           \
    X(bindGraphics, "vkCmdBindPipeline (graphics)",                                              \
      vkCmdBindPipeline(c.commands, VK_PIPELINE_BIND_POINT_GRAPHICS, some<VkPipeline>()))        \
    X(bindCompute, "vkCmdBindPipeline (compute)",                                                \
      vkCmdBindPipeline(c.commands, kCompute, some<VkPipeline>()))                               \
    X(bindShaders, "vkCmdBindShadersEXT", vkCmdBindShadersEXT(c.commands, 1, &kStage, &kShader)) \
    X(pushConstants, "vkCmdPushConstants (64 bytes)",                                            \
      vkCmdPushConstants(c.commands, some<VkPipelineLayout>(), kStage, 0, sizeof kValues,        \
                         kValues))                                                               \
    X(bindSets, "vkCmdBindDescriptorSets",                                                       \
      vkCmdBindDescriptorSets(c.commands, kCompute, some<VkPipelineLayout>(), 0, 0, nullptr, 0,  \
                              nullptr))                                                          \
    X(dispatch, "vkCmdDispatch", vkCmdDispatch(c.commands, 1, 1, 1))                             \
    X(draw, "vkCmdDraw", vkCmdDraw(c.commands, 3, 1, 0, 0))                                      \
    X(barrier, "vkCmdPipelineBarrier",                                                           \
      vkCmdPipelineBarrier(c.commands, kComputeStage, kComputeStage, 0, 1, &kMemory, 0, nullptr, \
                           0, nullptr))                                                          \
    X(barrierAll, "vkCmdPipelineBarrier (all commands)",                                         \
      vkCmdPipelineBarrier(c.commands, kAllStages, kAllStages, 0, 1, &kMemory, 0, nullptr, 0,    \
                           nullptr))                                                             \
    X(barrierTransfer, "vkCmdPipelineBarrier (all commands, transfers)",                         \
      vkCmdPipelineBarrier(c.commands, kAllStages, kAllStages, 0, 1, &kTransfer, 0, nullptr, 0,  \
                           nullptr))                                                             \
    X(barrier2, "vkCmdPipelineBarrier2", vkCmdPipelineBarrier2(c.commands, &kDependency))        \
    X(barrier2Images, "vkCmdPipelineBarrier2 (with 4 of images)",                                \
      vkCmdPipelineBarrier2(c.commands, &kImageDependency))                                      \
    X(barrier2Transfer, "vkCmdPipelineBarrier2 (all commands, transfers)",                       \
      vkCmdPipelineBarrier2(c.commands, &kTransferDependency))                                   \
    X(barrier2TransferImage, "vkCmdPipelineBarrier2 (an image, all commands, transfers)",        \
      vkCmdPipelineBarrier2(c.commands, &kTransferImages))                                       \
    X(barrier2TransferBuffers, "vkCmdPipelineBarrier2 (2 of buffers, all commands, transfers)",  \
      vkCmdPipelineBarrier2(c.commands, &kTransferBuffers))                                      \
    X(setEvent2, "vkCmdSetEvent2", vkCmdSetEvent2(c.commands, kEvent, &kDependency))             \
    X(resetEvent2, "vkCmdResetEvent2", vkCmdResetEvent2(c.commands, kEvent, kComputeStage2))     \
    X(waitEvents, "vkCmdWaitEvents",                                                             \
      vkCmdWaitEvents(c.commands, 1, &kEvent, kComputeStage, kComputeStage, 1, &kMemory, 0,      \
                      nullptr, 0, nullptr))                                                      \
    X(waitEvents2, "vkCmdWaitEvents2", vkCmdWaitEvents2(c.commands, 1, &kEvent, &kDependency))   \
    X(timestamp2, "vkCmdWriteTimestamp2",                                                        \
      vkCmdWriteTimestamp2(c.commands, kComputeStage2, some<VkQueryPool>(), 0))                  \
    X(beginCondition, "vkCmdBeginConditionalRenderingEXT",                                       \
      vkCmdBeginConditionalRenderingEXT(c.commands, &kCondition))                                \
    X(endCondition, "vkCmdEndConditionalRenderingEXT",                                           \
      vkCmdEndConditionalRenderingEXT(c.commands))                                               \
    X(execute, "vkCmdExecuteCommands", vkCmdExecuteCommands(c.commands, 1, &c.commands))         \
    X(begin, "vkBeginCommandBuffer", vkBeginCommandBuffer(c.commands, &kBegin))                  \
    X(end, "vkEndCommandBuffer", vkEndCommandBuffer(c.commands))                                 \
    X(submit2, "vkQueueSubmit2", vkQueueSubmit2(c.queue, 1, &kSubmission, VK_NULL_HANDLE))       \
    X(allocate, "vkAllocateCommandBuffers (of a known handle)", const auto info = allocation(c); \
      vkAllocateCommandBuffers(c.device, &info, &c.commands))                                    \
    X(release, "vkFreeCommandBuffers", vkFreeCommandBuffers(c.device, c.pool, 1, &c.commands))

#define COOPVK_FUNCTION(symbol, name, ...)                                                     \
    extern "C" __attribute__((noinline)) void coopvk_row_##symbol(Caller& c, uint32_t times) { \
        for (uint32_t i = 0; i < times; ++i) {                                                 \
            __VA_ARGS__;                                                                       \
        }                                                                                      \
    }
COOPVK_ROWS(COOPVK_FUNCTION)
#undef COOPVK_FUNCTION

std::span<const Row> rows() {
#define COOPVK_ROW(symbol, name, ...) {"coopvk_row_" #symbol, name, &coopvk_row_##symbol},
    static constexpr Row kRows[] = {COOPVK_ROWS(COOPVK_ROW)};
#undef COOPVK_ROW
    return kRows;
}

}  // namespace coopvk::idle
