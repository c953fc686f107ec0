// SPDX-License-Identifier: Apache-2.0
//
// The Vulkan commands of the application, found in one of three ways: linked.cpp, opened.cpp or
// by_volk.cpp.
#pragma once

#include <vulkan/vulkan.h>

// All of Vulkan 1.0, which every loader exports.
#define STACKING_COMMANDS(X)                \
    X(vkGetInstanceProcAddr)                \
    X(vkGetDeviceProcAddr)                  \
    X(vkCreateInstance)                     \
    X(vkDestroyInstance)                    \
    X(vkEnumeratePhysicalDevices)           \
    X(vkGetPhysicalDeviceMemoryProperties)  \
    X(vkEnumerateDeviceExtensionProperties) \
    X(vkCreateDevice)                       \
    X(vkDestroyDevice)                      \
    X(vkGetDeviceQueue)                     \
    X(vkQueueSubmit)                        \
    X(vkQueueWaitIdle)                      \
    X(vkAllocateMemory)                     \
    X(vkFreeMemory)                         \
    X(vkMapMemory)                          \
    X(vkCreateBuffer)                       \
    X(vkDestroyBuffer)                      \
    X(vkGetBufferMemoryRequirements)        \
    X(vkBindBufferMemory)                   \
    X(vkCreateShaderModule)                 \
    X(vkDestroyShaderModule)                \
    X(vkCreateDescriptorSetLayout)          \
    X(vkDestroyDescriptorSetLayout)         \
    X(vkCreatePipelineLayout)               \
    X(vkDestroyPipelineLayout)              \
    X(vkCreateComputePipelines)             \
    X(vkDestroyPipeline)                    \
    X(vkCreateDescriptorPool)               \
    X(vkDestroyDescriptorPool)              \
    X(vkAllocateDescriptorSets)             \
    X(vkUpdateDescriptorSets)               \
    X(vkCreateCommandPool)                  \
    X(vkDestroyCommandPool)                 \
    X(vkAllocateCommandBuffers)             \
    X(vkBeginCommandBuffer)                 \
    X(vkEndCommandBuffer)                   \
    X(vkCmdBindPipeline)                    \
    X(vkCmdBindDescriptorSets)              \
    X(vkCmdDispatch)

struct Vulkan {
#define STACKING_MEMBER(name) PFN_##name name = nullptr;
    STACKING_COMMANDS(STACKING_MEMBER)
#undef STACKING_MEMBER
};

// Before there is an instance: at least the commands that need none.
bool findVulkan(Vulkan& vulkan);
// Once there is one.
void findVulkan(Vulkan& vulkan, VkInstance instance);
