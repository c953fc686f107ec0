// SPDX-License-Identifier: Apache-2.0
//
// The commands that keep a dispatch's inputs. They stand in the table of the layer's next commands
// (DeviceContext::next) in place of the driver's, so all other code of the layer passes through
// them, too; commands that the layer does not intercept otherwise get these directly.
#pragma once

#include <vulkan/utility/vk_dispatch_table.h>
#include <vulkan/vulkan.h>

#include <string_view>
#include <type_traits>

#ifdef VK_KHR_device_address_commands
#define COOPVK_INPUT_ADDRESS_COMMANDS(X)             \
    X(CmdDispatchIndirect2KHR, cmdDispatchIndirect2) \
    X(CmdBeginConditionalRendering2EXT, cmdBeginConditional2)
#else
#define COOPVK_INPUT_ADDRESS_COMMANDS(X)
#endif
#ifdef VK_EXT_descriptor_heap
#define COOPVK_INPUT_HEAP_COMMANDS(X)              \
    X(CmdBindSamplerHeapEXT, cmdBindSamplerHeap)   \
    X(CmdBindResourceHeapEXT, cmdBindResourceHeap) \
    X(CmdPushDataEXT, cmdPushData)
#else
#define COOPVK_INPUT_HEAP_COMMANDS(X)
#endif

// X(Vulkan command without vk, function in coopvk::layer::inputs). Commands with two names have one
// function.
#define COOPVK_INPUT_COMMANDS(X)                                               \
    X(CreateBuffer, createBuffer)                                              \
    X(DestroyBuffer, destroyBuffer)                                            \
    X(BindBufferMemory, bindBufferMemory)                                      \
    X(BindBufferMemory2, bindBufferMemory2)                                    \
    X(BindBufferMemory2KHR, bindBufferMemory2)                                 \
    X(GetDeviceBufferMemoryRequirements, getDeviceBufferMemoryRequirements)    \
    X(GetDeviceBufferMemoryRequirementsKHR, getDeviceBufferMemoryRequirements) \
    X(CreateDescriptorSetLayout, createDescriptorSetLayout)                    \
    X(DestroyDescriptorSetLayout, destroyDescriptorSetLayout)                  \
    X(AllocateDescriptorSets, allocateDescriptorSets)                          \
    X(FreeDescriptorSets, freeDescriptorSets)                                  \
    X(ResetDescriptorPool, resetDescriptorPool)                                \
    X(DestroyDescriptorPool, destroyDescriptorPool)                            \
    X(UpdateDescriptorSets, updateDescriptorSets)                              \
    X(CreateDescriptorUpdateTemplate, createUpdateTemplate)                    \
    X(CreateDescriptorUpdateTemplateKHR, createUpdateTemplate)                 \
    X(DestroyDescriptorUpdateTemplate, destroyUpdateTemplate)                  \
    X(DestroyDescriptorUpdateTemplateKHR, destroyUpdateTemplate)               \
    X(UpdateDescriptorSetWithTemplate, updateWithTemplate)                     \
    X(UpdateDescriptorSetWithTemplateKHR, updateWithTemplate)                  \
    X(DestroyPipeline, destroyPipeline)                                        \
    X(DestroyShaderEXT, destroyShaderObject)                                   \
    X(CreateCommandPool, createCommandPool)                                    \
    X(ResetCommandPool, resetCommandPool)                                      \
    X(DestroyCommandPool, destroyCommandPool)                                  \
    X(AllocateCommandBuffers, allocateCommandBuffers)                          \
    X(FreeCommandBuffers, freeCommandBuffers)                                  \
    X(BeginCommandBuffer, beginCommandBuffer)                                  \
    X(ResetCommandBuffer, resetCommandBuffer)                                  \
    X(CmdBindPipeline, cmdBindPipeline)                                        \
    X(CmdBindShadersEXT, cmdBindShaders)                                       \
    X(CmdBindDescriptorSets, cmdBindDescriptorSets)                            \
    X(CmdBindDescriptorSets2, cmdBindDescriptorSets2)                          \
    X(CmdBindDescriptorSets2KHR, cmdBindDescriptorSets2)                       \
    X(CmdPushDescriptorSet, cmdPushDescriptorSet)                              \
    X(CmdPushDescriptorSetKHR, cmdPushDescriptorSet)                           \
    X(CmdPushDescriptorSet2, cmdPushDescriptorSet2)                            \
    X(CmdPushDescriptorSet2KHR, cmdPushDescriptorSet2)                         \
    X(CmdPushDescriptorSetWithTemplate, cmdPushWithTemplate)                   \
    X(CmdPushDescriptorSetWithTemplateKHR, cmdPushWithTemplate)                \
    X(CmdPushDescriptorSetWithTemplate2, cmdPushWithTemplate2)                 \
    X(CmdPushDescriptorSetWithTemplate2KHR, cmdPushWithTemplate2)              \
    X(CmdBindDescriptorBuffersEXT, cmdBindDescriptorBuffers)                   \
    X(CmdPushConstants, cmdPushConstants)                                      \
    X(CmdPushConstants2, cmdPushConstants2)                                    \
    X(CmdPushConstants2KHR, cmdPushConstants2)                                 \
    X(CmdBeginConditionalRenderingEXT, cmdBeginConditional)                    \
    X(CmdEndConditionalRenderingEXT, cmdEndConditional)                        \
    X(CmdExecuteCommands, cmdExecuteCommands)                                  \
    X(CmdDispatch, cmdDispatch)                                                \
    X(CmdDispatchBase, cmdDispatchBase)                                        \
    X(CmdDispatchBaseKHR, cmdDispatchBase)                                     \
    X(CmdDispatchIndirect, cmdDispatchIndirect)                                \
    X(QueueSubmit, queueSubmit)                                                \
    X(QueueSubmit2, queueSubmit2)                                              \
    X(QueueSubmit2KHR, queueSubmit2)                                           \
    X(QueueWaitIdle, queueWaitIdle)                                            \
    X(DeviceWaitIdle, deviceWaitIdle)                                          \
    X(WaitForFences, waitForFences)                                            \
    X(GetFenceStatus, getFenceStatus)                                          \
    X(WaitSemaphores, waitSemaphores)                                          \
    X(WaitSemaphoresKHR, waitSemaphores)                                       \
    X(GetSemaphoreCounterValue, getSemaphoreCounterValue)                      \
    X(GetSemaphoreCounterValueKHR, getSemaphoreCounterValue)                   \
    COOPVK_INPUT_ADDRESS_COMMANDS(X)                                           \
    COOPVK_INPUT_HEAP_COMMANDS(X)

namespace coopvk::layer::inputs {

#define COOPVK_DECLARE(command, function) std::remove_pointer_t<PFN_vk##command> function;
COOPVK_INPUT_COMMANDS(COOPVK_DECLARE)
#undef COOPVK_DECLARE

// Puts the commands into the table, where it has the driver's.
void interpose(VkuDeviceDispatchTable& table);
// For devices that keep inputs. Null for other commands.
PFN_vkVoidFunction findCommand(std::string_view name);
// The same for every device: vkGetInstanceProcAddr does not know which one is meant.
PFN_vkVoidFunction findCommandOfAnyDevice(std::string_view name);

}  // namespace coopvk::layer::inputs
