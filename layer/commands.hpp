// SPDX-License-Identifier: Apache-2.0
//
// Every Vulkan command that the layer intercepts: the one list from which the declarations below
// and the look-up tables (proc_table.cpp) are made. No command that is recorded or submitted often
// stands here.
#pragma once

#include <vulkan/vk_layer.h>
#include <vulkan/vulkan.h>

#include <type_traits>

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
    X(vkGetPhysicalDeviceProperties2, getProperties2)                  \
    X(vkGetPhysicalDeviceProperties2KHR, getProperties2)

// Queries that the layer answers even where nobody below has them.
#define COOPVK_ADDED_QUERIES(X)                                \
    X(vkGetPhysicalDeviceToolProperties, getToolProperties)    \
    X(vkGetPhysicalDeviceToolPropertiesEXT, getToolProperties) \
    X(vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR, getCooperativeMatrixPropertiesKHR)

#define COOPVK_DEVICE_COMMANDS(X)             \
    X(vkGetDeviceProcAddr, getDeviceProcAddr) \
    X(vkDestroyDevice, destroyDevice)

// Intercepted only on devices that emulate something, and only where the next layer has them.
#define COOPVK_SHADER_COMMANDS(X)                                                    \
    X(vkCreateShaderModule, createShaderModule)                                      \
    X(vkDestroyShaderModule, destroyShaderModule)                                    \
    X(vkGetShaderModuleIdentifierEXT, getShaderModuleIdentifier)                     \
    X(vkGetShaderModuleCreateInfoIdentifierEXT, getShaderModuleCreateInfoIdentifier) \
    X(vkCreateComputePipelines, createComputePipelines)                              \
    X(vkCreateGraphicsPipelines, createGraphicsPipelines)                            \
    X(vkCreateRayTracingPipelinesKHR, createRayTracingPipelinesKHR)                  \
    X(vkCreateRayTracingPipelinesNV, createRayTracingPipelinesNV)                    \
    X(vkDestroyDeferredOperationKHR, destroyDeferredOperation)                       \
    X(vkCreateShadersEXT, createShaders)                                             \
    X(vkGetPipelineKeyKHR, getPipelineKey)                                           \
    X(vkCreatePipelineBinariesKHR, createPipelineBinaries)

namespace coopvk::layer {

// A command of two names is declared twice, which is allowed.
#define COOPVK_DECLARE(command, function) std::remove_pointer_t<PFN_##command> function;
COOPVK_GLOBAL_COMMANDS(COOPVK_DECLARE)
COOPVK_INSTANCE_COMMANDS(COOPVK_DECLARE)
COOPVK_PHYSICAL_DEVICE_COMMANDS(COOPVK_DECLARE)
COOPVK_ADDED_QUERIES(COOPVK_DECLARE)
COOPVK_DEVICE_COMMANDS(COOPVK_DECLARE)
COOPVK_SHADER_COMMANDS(COOPVK_DECLARE)
#undef COOPVK_DECLARE

PFN_vkVoidFunction getPhysicalDeviceProcAddr(VkInstance instance, const char* name);

}  // namespace coopvk::layer
