// SPDX-License-Identifier: Apache-2.0
//
// The commands of instances, and those that make and destroy devices. Each folder lists those that
// it intercepts; proc_table.cpp joins the lists.
#pragma once

#include "chain/vulkan_newer.hpp"
#include "coopvk/vulkan_coopvk.h"
#include "objects/command_table.hpp"

// X(Vulkan command, function in coopvk::layer)

// Callable without an instance.
#define COOPVK_GLOBAL_COMMANDS(X)                                          \
    X(vkCreateInstance, createInstance)                                    \
    X(vkEnumerateInstanceExtensionProperties, enumerateInstanceExtensions) \
    X(vkEnumerateInstanceLayerProperties, enumerateInstanceLayers)         \
    X(vkEnumerateInstanceVersion, enumerateInstanceVersion)                \
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

// Behind VK_ENABLE_BETA_EXTENSIONS, in newer headers.
#ifdef VK_NV_cuda_kernel_launch
#define COOPVK_CUDA_COMMANDS(X)                     \
    X(vkCreateCudaModuleNV, createCudaModule)       \
    X(vkGetCudaModuleCacheNV, getCudaModuleCache)   \
    X(vkCreateCudaFunctionNV, createCudaFunction)   \
    X(vkDestroyCudaModuleNV, destroyCudaModule)     \
    X(vkDestroyCudaFunctionNV, destroyCudaFunction) \
    X(vkCmdCudaLaunchKernelNV, cudaLaunchKernel)
#else
#define COOPVK_CUDA_COMMANDS(X)
#endif

namespace coopvk::layer {

COOPVK_GLOBAL_COMMANDS(COOPVK_DECLARE_COMMAND)
COOPVK_INSTANCE_COMMANDS(COOPVK_DECLARE_COMMAND)
COOPVK_PHYSICAL_DEVICE_COMMANDS(COOPVK_DECLARE_COMMAND)
COOPVK_ADDED_QUERIES(COOPVK_DECLARE_COMMAND)
COOPVK_DEVICE_COMMANDS(COOPVK_DECLARE_COMMAND)
COOPVK_CUDA_COMMANDS(COOPVK_DECLARE_COMMAND)

PFN_vkVoidFunction getPhysicalDeviceProcAddr(VkInstance instance, const char* name);

// The rows of these.
CommandList loaderCommands();

}  // namespace coopvk::layer
