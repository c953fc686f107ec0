// SPDX-License-Identifier: Apache-2.0
//
// The commands that convert matrices, and those that a conversion must know. Commands that are
// recorded or submitted often are only among the latter, so they cost nothing on devices without
// conversions.
#pragma once

#include "objects/command_table.hpp"

// The oldest headers with which coopvk builds lack these.
#ifdef VK_KHR_device_address_commands
#define COOPVK_ADDRESS_COMMANDS(X)                                       \
    X(vkCmdBeginConditionalRendering2EXT, cmdBeginConditionalRendering2) \
    X(vkCmdWriteMarkerToMemoryAMD, cmdWriteMarkerToMemory)
#else
#define COOPVK_ADDRESS_COMMANDS(X)
#endif

// X(Vulkan command, function in coopvk::layer)

// Intercepted only on devices that emulate VK_NV_cooperative_vector; the next layer need not have
// them.
#define COOPVK_ADDED_COMMANDS(X)                                          \
    X(vkConvertCooperativeVectorMatrixNV, convertCooperativeVectorMatrix) \
    X(vkCmdConvertCooperativeVectorMatrixNV, cmdConvertCooperativeVectorMatrix)

// Commands that a matrix conversion must know. Intercepted only on the same devices, and only if
// the next layer has them.
#define COOPVK_CONVERSION_COMMANDS(X)                   \
    X(vkAllocateCommandBuffers, allocateCommandBuffers) \
    X(vkCreateQueryPool, createQueryPool)               \
    X(vkCreateRenderPass2, createRenderPass2)           \
    X(vkCreateRenderPass2KHR, createRenderPass2)

// The same, for commands that are recorded or submitted often. These functions are noexcept: see
// Guard.
#define COOPVK_RECORDED_COMMANDS(X)                                    \
    X(vkFreeCommandBuffers, freeCommandBuffers)                        \
    X(vkDestroyCommandPool, destroyCommandPool)                        \
    X(vkBeginCommandBuffer, beginCommandBuffer)                        \
    X(vkEndCommandBuffer, endCommandBuffer)                            \
    X(vkCmdBindPipeline, cmdBindPipeline)                              \
    X(vkCmdBindShadersEXT, cmdBindShaders)                             \
    X(vkCmdExecuteCommands, cmdExecuteCommands)                        \
    X(vkCmdBeginConditionalRenderingEXT, cmdBeginConditionalRendering) \
    X(vkCmdEndConditionalRenderingEXT, cmdEndConditionalRendering)     \
    X(vkCmdPipelineBarrier2, cmdPipelineBarrier2)                      \
    X(vkCmdPipelineBarrier2KHR, cmdPipelineBarrier2)                   \
    X(vkCmdSetEvent2, cmdSetEvent2)                                    \
    X(vkCmdSetEvent2KHR, cmdSetEvent2)                                 \
    X(vkCmdResetEvent2, cmdResetEvent2)                                \
    X(vkCmdResetEvent2KHR, cmdResetEvent2)                             \
    X(vkCmdWaitEvents2, cmdWaitEvents2)                                \
    X(vkCmdWaitEvents2KHR, cmdWaitEvents2)                             \
    X(vkCmdWriteTimestamp2, cmdWriteTimestamp2)                        \
    X(vkCmdWriteTimestamp2KHR, cmdWriteTimestamp2)                     \
    X(vkCmdWriteBufferMarker2AMD, cmdWriteBufferMarker2)               \
    X(vkQueueSubmit2, queueSubmit2)                                    \
    X(vkQueueSubmit2KHR, queueSubmit2)                                 \
    COOPVK_ADDRESS_COMMANDS(X)

namespace coopvk::layer {

COOPVK_ADDED_COMMANDS(COOPVK_DECLARE_COMMAND)
COOPVK_CONVERSION_COMMANDS(COOPVK_DECLARE_COMMAND)

COOPVK_RECORDED_COMMANDS(COOPVK_DECLARE_NOEXCEPT)

// The rows of these.
CommandList conversionCommands();

}  // namespace coopvk::layer
