// SPDX-License-Identifier: Apache-2.0
//
// What a matrix conversion replaces in a command buffer, and must put back: the compute pipeline,
// or compute shader, and the condition. The kernel has no descriptors and no push constants, so
// those stay as they are. The layer keeps this only on devices that emulate conversions.
#pragma once

#include <vulkan/vulkan.h>

#include <deque>
#include <mutex>
#include <variant>

#include "objects/handle_table.hpp"

namespace coopvk::layer {

// The last call of vkCmdBeginConditionalRendering*EXT; nothing if no condition applies.
using Condition = std::variant<std::monostate, VkConditionalRenderingBeginInfoEXT
#ifdef VK_KHR_device_address_commands
                               ,
                               VkConditionalRenderingBeginInfo2EXT
#endif
                               >;

// Threads that record at the same time do not share a line of the processor's cache.
struct alignas(64) CommandState {
    // At most one of the two is bound.
    VkPipeline computePipeline = VK_NULL_HANDLE;
    VkShaderEXT computeShader = VK_NULL_HANDLE;
    // The error of a command; vkEndCommandBuffer reports it.
    VkResult failure = VK_SUCCESS;
    // Whether it has a conversion, which the condition of a primary command buffer would reach, and
    // whose arguments it holds.
    bool converts = false;
    // The condition of this command buffer, not one that it inherits.
    Condition condition;
    VkCommandPool pool = VK_NULL_HANDLE;

    // As at the start of recording.
    void forget() noexcept {
        computePipeline = VK_NULL_HANDLE;
        computeShader = VK_NULL_HANDLE;
        failure = VK_SUCCESS;
        converts = false;
        condition.emplace<0>();
    }
};

// The command buffers of a device. Like these, the states are externally synchronised. A state
// stays with its handle, which drivers give again, so that only the first allocation of a handle
// costs something.
class CommandStates {
 public:
    void add(VkCommandBuffer commands, VkCommandPool pool);
    // Null for command buffers that the layer has not seen.
    CommandState* find(VkCommandBuffer commands) const noexcept { return table_.find(commands); }

 private:
    HandleTable<CommandState> table_;
    std::mutex mutex_;
    std::deque<CommandState> states_;
};

}  // namespace coopvk::layer
