// SPDX-License-Identifier: Apache-2.0
//
// The commands through which shaders reach the driver, and those that say what became of them.
#pragma once

#include "objects/command_table.hpp"

// Behind VK_ENABLE_BETA_EXTENSIONS.
#ifdef VK_AMDX_shader_enqueue
#define COOPVK_EXECUTION_GRAPH_COMMANDS(X) \
    X(vkCreateExecutionGraphPipelinesAMDX, createExecutionGraphPipelines)
#else
#define COOPVK_EXECUTION_GRAPH_COMMANDS(X)
#endif

// The oldest headers with which coopvk builds lack these.
#ifdef VK_ARM_data_graph
#define COOPVK_DATA_GRAPH_COMMANDS(X) X(vkCreateDataGraphPipelinesARM, createDataGraphPipelines)
#else
#define COOPVK_DATA_GRAPH_COMMANDS(X)
#endif

// X(Vulkan command, function in coopvk::layer)

// Intercepted only on devices that emulate something, and only if the next layer has them.
#define COOPVK_SHADER_COMMANDS(X)                                                       \
    X(vkCreateShaderModule, createShaderModule)                                         \
    X(vkDestroyShaderModule, destroyShaderModule)                                       \
    X(vkGetShaderModuleIdentifierEXT, getShaderModuleIdentifier)                        \
    X(vkGetShaderModuleCreateInfoIdentifierEXT, getShaderModuleCreateInfoIdentifier)    \
    X(vkCreateComputePipelines, createComputePipelines)                                 \
    X(vkCreateGraphicsPipelines, createGraphicsPipelines)                               \
    X(vkCreateRayTracingPipelinesKHR, createRayTracingPipelinesKHR)                     \
    X(vkCreateRayTracingPipelinesNV, createRayTracingPipelinesNV)                       \
    X(vkDestroyDeferredOperationKHR, destroyDeferredOperation)                          \
    X(vkCreateShadersEXT, createShaders)                                                \
    X(vkDestroyShaderEXT, destroyShader)                                                \
    X(vkGetShaderBinaryDataEXT, getShaderBinaryData)                                    \
    X(vkGetPipelineKeyKHR, getPipelineKey)                                              \
    X(vkCreatePipelineBinariesKHR, createPipelineBinaries)                              \
    X(vkGetPipelineIndirectMemoryRequirementsNV, getPipelineIndirectMemoryRequirements) \
    COOPVK_EXECUTION_GRAPH_COMMANDS(X)                                                  \
    COOPVK_DATA_GRAPH_COMMANDS(X)

// Commands that may say that the device is lost, and of which every program calls some. A lost
// device stays lost, so the others need not be known.
#define COOPVK_LOSS_COMMANDS(X)         \
    X(vkQueueSubmit, queueSubmit)       \
    X(vkQueueWaitIdle, queueWaitIdle)   \
    X(vkDeviceWaitIdle, deviceWaitIdle) \
    X(vkWaitForFences, waitForFences)   \
    X(vkGetFenceStatus, getFenceStatus) \
    X(vkWaitSemaphores, waitSemaphores) \
    X(vkWaitSemaphoresKHR, waitSemaphores)

namespace coopvk::layer {

COOPVK_SHADER_COMMANDS(COOPVK_DECLARE_COMMAND)
COOPVK_LOSS_COMMANDS(COOPVK_DECLARE_NOEXCEPT)

// The rows of these.
CommandList shaderCommands();

}  // namespace coopvk::layer
