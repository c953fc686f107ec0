// SPDX-License-Identifier: Apache-2.0
//
// The commands that do something here. Their declarations below come from Vulkan's function types;
// the table in commands.cpp adds the rest of the registry's commands.
#pragma once

#include <vulkan/vulkan.h>

#include <string_view>
#include <type_traits>

// X(command without vk)

#ifdef VK_EXT_cooperative_matrix_maintenance1
#define COOPVK_REFERENCE_MAINTENANCE1(X) X(GetPhysicalDeviceCooperativeMatrixProperties2EXT)
#else
#define COOPVK_REFERENCE_MAINTENANCE1(X)
#endif

#define COOPVK_REFERENCE_INSTANCE_COMMANDS(X)                           \
    X(CreateInstance)                                                   \
    X(DestroyInstance)                                                  \
    X(EnumerateInstanceVersion)                                         \
    X(EnumerateInstanceExtensionProperties)                             \
    X(EnumerateInstanceLayerProperties)                                 \
    X(GetInstanceProcAddr)                                              \
    X(GetDeviceProcAddr)                                                \
    X(EnumeratePhysicalDevices)                                         \
    X(EnumeratePhysicalDeviceGroups)                                    \
    X(CreateDebugUtilsMessengerEXT)                                     \
    X(DestroyDebugUtilsMessengerEXT)                                    \
    X(SubmitDebugUtilsMessageEXT)                                       \
    X(EnumerateDeviceExtensionProperties)                               \
    X(EnumerateDeviceLayerProperties)                                   \
    X(GetPhysicalDeviceFeatures)                                        \
    X(GetPhysicalDeviceFeatures2)                                       \
    X(GetPhysicalDeviceProperties)                                      \
    X(GetPhysicalDeviceProperties2)                                     \
    X(GetPhysicalDeviceQueueFamilyProperties)                           \
    X(GetPhysicalDeviceQueueFamilyProperties2)                          \
    X(GetPhysicalDeviceMemoryProperties)                                \
    X(GetPhysicalDeviceMemoryProperties2)                               \
    X(GetPhysicalDeviceFormatProperties)                                \
    X(GetPhysicalDeviceFormatProperties2)                               \
    X(GetPhysicalDeviceImageFormatProperties)                           \
    X(GetPhysicalDeviceImageFormatProperties2)                          \
    X(GetPhysicalDeviceSparseImageFormatProperties)                     \
    X(GetPhysicalDeviceSparseImageFormatProperties2)                    \
    X(GetPhysicalDeviceExternalBufferProperties)                        \
    X(GetPhysicalDeviceExternalFenceProperties)                         \
    X(GetPhysicalDeviceExternalSemaphoreProperties)                     \
    X(GetPhysicalDeviceToolProperties)                                  \
    X(GetPhysicalDeviceCooperativeMatrixPropertiesKHR)                  \
    X(GetPhysicalDeviceCooperativeMatrixPropertiesNV)                   \
    X(GetPhysicalDeviceCooperativeMatrixFlexibleDimensionsPropertiesNV) \
    X(GetPhysicalDeviceCooperativeVectorPropertiesNV)                   \
    COOPVK_REFERENCE_MAINTENANCE1(X)

#define COOPVK_REFERENCE_DEVICE_COMMANDS(X) \
    X(CreateDevice)                         \
    X(DestroyDevice)                        \
    X(GetDeviceQueue)                       \
    X(GetDeviceQueue2)                      \
    X(DeviceWaitIdle)                       \
    X(GetDeviceGroupPeerMemoryFeatures)     \
    X(CreatePrivateDataSlot)                \
    X(DestroyPrivateDataSlot)               \
    X(SetPrivateData)                       \
    X(GetPrivateData)                       \
    X(SetDebugUtilsObjectNameEXT)           \
    X(SetDebugUtilsObjectTagEXT)            \
    X(AllocateMemory)                       \
    X(FreeMemory)                           \
    X(MapMemory)                            \
    X(UnmapMemory)                          \
    X(MapMemory2)                           \
    X(UnmapMemory2)                         \
    X(FlushMappedMemoryRanges)              \
    X(InvalidateMappedMemoryRanges)         \
    X(GetDeviceMemoryCommitment)            \
    X(GetDeviceMemoryOpaqueCaptureAddress)  \
    X(CreateBuffer)                         \
    X(DestroyBuffer)                        \
    X(BindBufferMemory)                     \
    X(BindBufferMemory2)                    \
    X(GetBufferMemoryRequirements)          \
    X(GetBufferMemoryRequirements2)         \
    X(GetDeviceBufferMemoryRequirements)    \
    X(GetBufferDeviceAddress)               \
    X(GetBufferOpaqueCaptureAddress)

#define COOPVK_REFERENCE_PROGRAM_COMMANDS(X) \
    X(CreateDescriptorSetLayout)             \
    X(DestroyDescriptorSetLayout)            \
    X(GetDescriptorSetLayoutSupport)         \
    X(CreatePipelineLayout)                  \
    X(DestroyPipelineLayout)                 \
    X(CreateDescriptorPool)                  \
    X(DestroyDescriptorPool)                 \
    X(ResetDescriptorPool)                   \
    X(AllocateDescriptorSets)                \
    X(FreeDescriptorSets)                    \
    X(UpdateDescriptorSets)                  \
    X(CreateDescriptorUpdateTemplate)        \
    X(DestroyDescriptorUpdateTemplate)       \
    X(UpdateDescriptorSetWithTemplate)       \
    X(CreateSampler)                         \
    X(DestroySampler)                        \
    X(CreateRenderPass)                      \
    X(CreateRenderPass2)                     \
    X(DestroyRenderPass)                     \
    X(CreateShaderModule)                    \
    X(DestroyShaderModule)                   \
    X(CreatePipelineCache)                   \
    X(DestroyPipelineCache)                  \
    X(GetPipelineCacheData)                  \
    X(MergePipelineCaches)                   \
    X(CreateComputePipelines)                \
    X(DestroyPipeline)                       \
    X(CreateShadersEXT)                      \
    X(DestroyShaderEXT)                      \
    X(GetShaderBinaryDataEXT)                \
    X(ConvertCooperativeVectorMatrixNV)

#define COOPVK_REFERENCE_QUEUE_COMMANDS(X) \
    X(QueueSubmit)                         \
    X(QueueSubmit2)                        \
    X(QueueWaitIdle)                       \
    X(CreateFence)                         \
    X(DestroyFence)                        \
    X(ResetFences)                         \
    X(GetFenceStatus)                      \
    X(WaitForFences)                       \
    X(CreateSemaphore)                     \
    X(DestroySemaphore)                    \
    X(GetSemaphoreCounterValue)            \
    X(WaitSemaphores)                      \
    X(SignalSemaphore)                     \
    X(CreateEvent)                         \
    X(DestroyEvent)                        \
    X(GetEventStatus)                      \
    X(SetEvent)                            \
    X(ResetEvent)                          \
    X(CreateQueryPool)                     \
    X(DestroyQueryPool)                    \
    X(ResetQueryPool)                      \
    X(GetQueryPoolResults)                 \
    X(CreateCommandPool)                   \
    X(DestroyCommandPool)                  \
    X(ResetCommandPool)                    \
    X(TrimCommandPool)                     \
    X(AllocateCommandBuffers)              \
    X(FreeCommandBuffers)                  \
    X(BeginCommandBuffer)                  \
    X(EndCommandBuffer)                    \
    X(ResetCommandBuffer)

// Not those that need no execution here, such as pipeline barriers.
#define COOPVK_REFERENCE_RECORDING_COMMANDS(X) \
    X(CmdBindPipeline)                         \
    X(CmdBindShadersEXT)                       \
    X(CmdBindDescriptorSets)                   \
    X(CmdBindDescriptorSets2)                  \
    X(CmdPushDescriptorSet)                    \
    X(CmdPushDescriptorSet2)                   \
    X(CmdPushDescriptorSetWithTemplate)        \
    X(CmdPushDescriptorSetWithTemplate2)       \
    X(CmdPushConstants)                        \
    X(CmdPushConstants2)                       \
    X(CmdDispatch)                             \
    X(CmdDispatchBase)                         \
    X(CmdDispatchIndirect)                     \
    X(CmdCopyBuffer)                           \
    X(CmdCopyBuffer2)                          \
    X(CmdFillBuffer)                           \
    X(CmdUpdateBuffer)                         \
    X(CmdExecuteCommands)                      \
    X(CmdSetEvent)                             \
    X(CmdSetEvent2)                            \
    X(CmdResetEvent)                           \
    X(CmdResetEvent2)                          \
    X(CmdWaitEvents)                           \
    X(CmdWaitEvents2)                          \
    X(CmdBeginQuery)                           \
    X(CmdEndQuery)                             \
    X(CmdResetQueryPool)                       \
    X(CmdWriteTimestamp)                       \
    X(CmdWriteTimestamp2)                      \
    X(CmdCopyQueryPoolResults)                 \
    X(CmdConvertCooperativeVectorMatrixNV)

#define COOPVK_REFERENCE_COMMANDS(X)      \
    COOPVK_REFERENCE_INSTANCE_COMMANDS(X) \
    COOPVK_REFERENCE_DEVICE_COMMANDS(X)   \
    COOPVK_REFERENCE_PROGRAM_COMMANDS(X)  \
    COOPVK_REFERENCE_QUEUE_COMMANDS(X)    \
    COOPVK_REFERENCE_RECORDING_COMMANDS(X)

namespace coopvk::reference::icd {

#define COOPVK_DECLARE(name) std::remove_pointer_t<PFN_vk##name> name;
COOPVK_REFERENCE_COMMANDS(COOPVK_DECLARE)
#undef COOPVK_DECLARE

enum class Level { kGlobal, kInstance, kPhysicalDevice, kDevice };

struct Command {
    std::string_view name;
    Level level;
    std::string_view extension;  // that adds it, or ""
    PFN_vkVoidFunction function;
};

// Null for a command that the driver does not know.
const Command* findCommand(std::string_view name);

}  // namespace coopvk::reference::icd
