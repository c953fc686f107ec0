// SPDX-License-Identifier: Apache-2.0
//
// What a command buffer under recording has bound, as far as a matrix conversion disturbs it. Kept
// only on devices that emulate conversions.
#pragma once

#include <vulkan/vulkan.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>
#include <vulkan/utility/vk_concurrent_unordered_map.hpp>

namespace coopvk::layer {

struct DeviceContext;

// A pipeline layout as vkCmdPushConstants2 takes it: a handle, or a create info of which this
// keeps a copy.
struct PushLayout {
    VkPipelineLayout handle = VK_NULL_HANDLE;
    VkPipelineLayoutCreateFlags flags = 0;
    std::vector<VkDescriptorSetLayout> sets;
    std::vector<VkPushConstantRange> ranges;
};

// The push constants that commands set, the oldest first; what a later one covers is dropped.
class PushConstantLog {
 public:
    struct Entry {
        PushLayout layout;
        VkShaderStageFlags stages;
        uint32_t offset;
        std::vector<std::byte> bytes;

        uint32_t end() const { return offset + static_cast<uint32_t>(bytes.size()); }
    };

    void clear() { entries_.clear(); }
    void add(PushLayout layout, VkShaderStageFlags stages, uint32_t offset,
             std::span<const std::byte> bytes);
    std::span<const Entry> entries() const { return entries_; }

 private:
    std::vector<Entry> entries_;
};

struct CommandState {
    std::shared_ptr<DeviceContext> device;
    VkCommandPool pool = VK_NULL_HANDLE;
    // At most one of the two is bound.
    VkPipeline computePipeline = VK_NULL_HANDLE;
    VkShaderEXT computeShader = VK_NULL_HANDLE;
    PushConstantLog pushConstants;
    // Since a vkCmdBeginConditionalRenderingEXT of this command buffer.
    std::optional<VkConditionalRenderingBeginInfoEXT> condition;
    // What a command could not do; vkEndCommandBuffer reports it.
    VkResult failure = VK_SUCCESS;

    void forget();  // as at the start of recording
};

// All command buffers of devices that emulate conversions. The states are externally synchronised,
// as command buffers are.
class CommandStates {
 public:
    void add(VkCommandBuffer commands, std::shared_ptr<CommandState> state) {
        states_.insert_or_assign(commands, std::move(state));
    }
    void remove(VkCommandBuffer commands) { states_.erase(commands); }
    void removePool(const DeviceContext& device, VkCommandPool pool);
    void removeDevice(const DeviceContext& device);
    // Null for command buffers of other devices.
    std::shared_ptr<CommandState> find(VkCommandBuffer commands) const {
        const auto found = states_.find(commands);
        return found != states_.end() ? found->second : nullptr;
    }

 private:
    vku::concurrent::unordered_map<VkCommandBuffer, std::shared_ptr<CommandState>, 5> states_;
};

CommandStates& commandStates();

}  // namespace coopvk::layer
