// SPDX-License-Identifier: Apache-2.0
//
// Every Vulkan command that the layer intercepts. The declarations below and the look-up tables
// (proc_table.cpp) are made from this list. Commands that are recorded or submitted often are only
// among the recorded commands, so they cost nothing on devices without conversions.
#pragma once

#include <vulkan/vk_layer.h>
#include <vulkan/vulkan.h>

#include <type_traits>

#include "coopvk/vulkan_coopvk.h"
#include "matrix_extensions.hpp"

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
#ifdef VK_KHR_device_address_commands
#define COOPVK_ADDRESS_COMMANDS(X)                                       \
    X(vkCmdBeginConditionalRendering2EXT, cmdBeginConditionalRendering2) \
    X(vkCmdWriteMarkerToMemoryAMD, cmdWriteMarkerToMemory)
#else
#define COOPVK_ADDRESS_COMMANDS(X)
#endif

// X(Vulkan command, function in coopvk::layer)

// Callable without an instance.
#define COOPVK_GLOBAL_COMMANDS(X)                                          \
    X(vkCreateInstance, createInstance)                                    \
    X(vkEnumerateInstanceExtensionProperties, enumerateInstanceExtensions) \
    X(vkEnumerateInstanceLayerProperties, enumerateInstanceLayers)         \
    X(vkGetInstanceProcAddr, getInstanceProcAddr)

#define COOPVK_INSTANCE_COMMANDS(X) X(vkDestroyInstance, destroyInstance)

#define COOPVK_PHYSICAL_DEVICE_COMMANDS(X)                             \
    X(vkCreateDevice, createDevice)                                    \
    X(vkEnumerateDeviceExtensionProperties, enumerateDeviceExtensions) \
    X(vkEnumerateDeviceLayerProperties, enumerateDeviceLayers)         \
    X(vkGetPhysicalDeviceFeatures2, getFeatures2)                      \
    X(vkGetPhysicalDeviceFeatures2KHR, getFeatures2)                   \
    X(vkGetPhysicalDeviceProperties, getProperties)                    \
    X(vkGetPhysicalDeviceProperties2, getProperties2)                  \
    X(vkGetPhysicalDeviceProperties2KHR, getProperties2)

// Queries that the layer answers even if the next layer lacks them.
#define COOPVK_ADDED_QUERIES(X)                                                                  \
    X(vkGetPhysicalDeviceToolProperties, getToolProperties)                                      \
    X(vkGetPhysicalDeviceToolPropertiesEXT, getToolProperties)                                   \
    X(vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR, getCooperativeMatrixPropertiesKHR)      \
    X(vkGetPhysicalDeviceCooperativeMatrixFlexibleDimensionsPropertiesNV, getFlexibleDimensions) \
    X(vkGetPhysicalDeviceCooperativeMatrixProperties2EXT, getCooperativeMatrixProperties2EXT)    \
    X(vkGetPhysicalDeviceCooperativeMatrixPropertiesNV, getCooperativeMatrixPropertiesNV)        \
    X(vkGetPhysicalDeviceCooperativeVectorPropertiesNV, getCooperativeVectorPropertiesNV)        \
    X(vkGetPhysicalDeviceCooperativeMatrixInt4PropertiesCOOPVK, getInt4MatrixProperties)         \
    X(vkGetPhysicalDeviceShader2DBlockSizesCOOPVK, getBlockSizes)

#define COOPVK_DEVICE_COMMANDS(X)             \
    X(vkGetDeviceProcAddr, getDeviceProcAddr) \
    X(vkDestroyDevice, destroyDevice)

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

// Intercepted only on devices that emulate VK_NV_cooperative_vector; the next layer need not have
// them.
#define COOPVK_ADDED_COMMANDS(X)                                          \
    X(vkConvertCooperativeVectorMatrixNV, convertCooperativeVectorMatrix) \
    X(vkCmdConvertCooperativeVectorMatrixNV, cmdConvertCooperativeVectorMatrix)

// Commands that a matrix conversion must know. Intercepted only on the same devices, and only if
// the next layer has them.
#define COOPVK_CONVERSION_COMMANDS(X)                   \
    X(vkAllocateCommandBuffers, allocateCommandBuffers) \
    X(vkCreateRenderPass, createRenderPass)             \
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
    X(vkCmdPipelineBarrier, cmdPipelineBarrier)                        \
    X(vkCmdPipelineBarrier2, cmdPipelineBarrier2)                      \
    X(vkCmdPipelineBarrier2KHR, cmdPipelineBarrier2)                   \
    X(vkCmdSetEvent2, cmdSetEvent2)                                    \
    X(vkCmdSetEvent2KHR, cmdSetEvent2)                                 \
    X(vkCmdResetEvent2, cmdResetEvent2)                                \
    X(vkCmdResetEvent2KHR, cmdResetEvent2)                             \
    X(vkCmdWaitEvents, cmdWaitEvents)                                  \
    X(vkCmdWaitEvents2, cmdWaitEvents2)                                \
    X(vkCmdWaitEvents2KHR, cmdWaitEvents2)                             \
    X(vkCmdWriteTimestamp2, cmdWriteTimestamp2)                        \
    X(vkCmdWriteTimestamp2KHR, cmdWriteTimestamp2)                     \
    X(vkCmdWriteBufferMarker2AMD, cmdWriteBufferMarker2)               \
    X(vkQueueSubmit2, queueSubmit2)                                    \
    X(vkQueueSubmit2KHR, queueSubmit2)                                 \
    COOPVK_ADDRESS_COMMANDS(X)

namespace coopvk::layer {

// A command with two names is declared twice, which C++ allows.
#define COOPVK_DECLARE(command, function) std::remove_pointer_t<PFN_##command> function;
COOPVK_GLOBAL_COMMANDS(COOPVK_DECLARE)
COOPVK_INSTANCE_COMMANDS(COOPVK_DECLARE)
COOPVK_PHYSICAL_DEVICE_COMMANDS(COOPVK_DECLARE)
COOPVK_ADDED_QUERIES(COOPVK_DECLARE)
COOPVK_DEVICE_COMMANDS(COOPVK_DECLARE)
COOPVK_SHADER_COMMANDS(COOPVK_DECLARE)
COOPVK_ADDED_COMMANDS(COOPVK_DECLARE)
COOPVK_CONVERSION_COMMANDS(COOPVK_DECLARE)
#undef COOPVK_DECLARE

template <typename Pointer>
struct AsNoexcept;
template <typename R, typename... Args>
struct AsNoexcept<R(VKAPI_PTR*)(Args...)> {
    using Function = R(Args...) noexcept;
};
#define COOPVK_DECLARE(command, function) AsNoexcept<PFN_##command>::Function function;
COOPVK_RECORDED_COMMANDS(COOPVK_DECLARE)
#undef COOPVK_DECLARE

PFN_vkVoidFunction getPhysicalDeviceProcAddr(VkInstance instance, const char* name);

}  // namespace coopvk::layer
