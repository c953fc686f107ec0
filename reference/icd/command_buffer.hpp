// SPDX-License-Identifier: Apache-2.0
//
// Command buffers are lists of functions, which the queue's thread calls with the state that
// commands share.
#pragma once

#include <array>
#include <functional>

#include "descriptors.hpp"
#include "device.hpp"

namespace coopvk::reference::icd {

struct BoundSet {
    const DescriptorSet* set = nullptr;
    std::vector<uint32_t> offsets;                // of its dynamic descriptors, in order
    std::shared_ptr<const DescriptorSet> pushed;  // keeps a set of push descriptors
    std::weak_ptr<const void> life;               // of the set
};

// The state of a command buffer during its execution.
struct Execution {
    Device& device;
    std::shared_ptr<const Program> program;
    const Object* programObject = nullptr;  // pipeline or shader object
    VkObjectType programType = VK_OBJECT_TYPE_UNKNOWN;
    std::array<BoundSet, kMaxSets> sets;
    std::array<std::byte, kMaxPushConstantBytes> pushConstants = {};
};

struct RecordedCommand {
    std::function<void(Execution&)> execute;
    std::vector<std::weak_ptr<const void>> lives;  // of the objects that it uses
};

struct CommandBuffer : ObjectOf<VkCommandBuffer> {
    explicit CommandBuffer(Device& on) : device(on) {}
    Device& device;
    std::vector<RecordedCommand> commands;
    // The sets of push descriptors as they are after the commands so far.
    std::array<std::shared_ptr<const DescriptorSet>, kMaxSets> pushed;
    VkResult result = VK_SUCCESS;  // of the recording

    void reset();
    void execute() const;
    // Reports a command that is not valid; vkEndCommandBuffer returns VK_ERROR_VALIDATION_FAILED.
    void refuse(const std::string& message) { result = device.refuse(message); }
};

// Objects that the command uses must live until it executes: otherwise it does nothing, with a
// report.
template <typename Function, typename... Used>
void record(VkCommandBuffer handle, Function&& function, const Used*... used) {
    from<CommandBuffer>(handle)->commands.push_back(
        {std::forward<Function>(function), {std::weak_ptr(used->life)...}});
}

}  // namespace coopvk::reference::icd
