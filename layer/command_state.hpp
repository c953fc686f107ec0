// SPDX-License-Identifier: Apache-2.0
//
// What is bound in a command buffer during recording, as far as a matrix conversion changes it. The
// layer keeps this only on devices that emulate conversions.
#pragma once

#include <vulkan/utility/vk_dispatch_table.h>
#include <vulkan/vulkan.h>

#include <array>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <span>
#include <unordered_map>
#include <variant>
#include <vector>

namespace coopvk::layer {

struct DeviceContext;

// A pipeline layout for push constants: a handle, or what of a create info push constants depend
// on. That is without descriptor set layouts, which need not exist any more.
struct PushLayout {
    VkPipelineLayout handle = VK_NULL_HANDLE;
    std::vector<VkPushConstantRange> ranges;
};

// The push constants, or push data, that commands set, the oldest first. An entry is dropped if
// later ones overwrite all of it.
class PushConstantLog {
 public:
    struct Entry {
        PushLayout layout;          // not of push data
        VkShaderStageFlags stages;  // all for push data
        uint32_t offset;
        std::vector<std::byte> bytes;
        std::optional<uint32_t> bank = {};  // VkPushConstantBankInfoNV::bank, where it is given

        uint32_t end() const { return offset + static_cast<uint32_t>(bytes.size()); }
    };

    void clear() { entries_.clear(); }
    void add(Entry entry);
    std::span<const Entry> entries() const { return entries_; }

 private:
    std::vector<Entry> entries_;
};

// The last call of vkCmdBeginConditionalRendering*EXT; nothing if no condition applies.
using Condition = std::variant<std::monostate, VkConditionalRenderingBeginInfoEXT
#ifdef VK_KHR_device_address_commands
                               ,
                               VkConditionalRenderingBeginInfo2EXT
#endif
                               >;

struct CommandState {
    std::shared_ptr<DeviceContext> device;
    VkCommandPool pool = VK_NULL_HANDLE;
    VkCommandBufferLevel level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
    // At most one of the two is bound.
    VkPipeline computePipeline = VK_NULL_HANDLE;
    VkShaderEXT computeShader = VK_NULL_HANDLE;
    // Whether descriptors are in heaps now (VK_EXT_descriptor_heap). Each command of heaps
    // invalidates the state of descriptor sets, descriptor buffers and push constants, and each of
    // those invalidates that of heaps.
    bool usesHeaps = false;
    PushConstantLog pushConstants;  // push data while heaps are used
    // The condition of this command buffer, not one that it inherits.
    Condition condition;
    // Whether it has a conversion, which the condition of a primary command buffer would reach.
    bool converts = false;
    // The error of a command; vkEndCommandBuffer reports it.
    VkResult failure = VK_SUCCESS;

    void forget();  // as at the start of recording
    // After a command of one kind or the other.
    void setUsesHeaps(bool heaps);
};

// The commands of the next layer; `state` is the result of commandStates().find().
const VkuDeviceDispatchTable& nextOf(VkCommandBuffer commands,
                                     const std::shared_ptr<CommandState>& state);

// All command buffers of devices that emulate conversions. Like command buffers, the states are
// externally synchronised. Removing allocates nothing, since destruction must not fail.
class CommandStates {
 public:
    void add(VkCommandBuffer commands, std::shared_ptr<CommandState> state);
    void remove(VkCommandBuffer commands) noexcept;
    void removePool(const DeviceContext& device, VkCommandPool pool) noexcept;
    void removeDevice(const DeviceContext& device) noexcept;
    // Null for command buffers of other devices.
    std::shared_ptr<CommandState> find(VkCommandBuffer commands) const;

 private:
    using Map = std::unordered_map<VkCommandBuffer, std::shared_ptr<CommandState>>;

    // Threads that record at the same time seldom need the same one.
    struct alignas(64) Shard {
        mutable std::shared_mutex mutex;
        Map states;
    };

    size_t shardOf(VkCommandBuffer commands) const;
    template <typename Predicate>
    void removeIf(const Predicate& predicate) noexcept;

    std::array<Shard, 32> shards_;
};

CommandStates& commandStates();

}  // namespace coopvk::layer
