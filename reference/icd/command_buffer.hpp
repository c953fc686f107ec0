// SPDX-License-Identifier: Apache-2.0
//
// Command buffers are lists of functions, which the queue's thread calls with the state that
// commands share.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <set>
#include <vector>

#include "descriptors.hpp"
#include "device.hpp"
#include "properties.hpp"

namespace coopvk::reference::icd {

struct BoundSet {
    const DescriptorSet* set = nullptr;
    std::vector<uint32_t> offsets;                // of its dynamic descriptors, in order
    std::shared_ptr<const DescriptorSet> pushed;  // keeps a set of push descriptors
};

// The state of a command buffer during its execution.
struct Execution {
    explicit Execution(Device& on) : device(on) {}
    Device& device;
    std::shared_ptr<const Program> program;
    const Object* programObject = nullptr;  // pipeline or shader object
    VkObjectType programType = VK_OBJECT_TYPE_UNKNOWN;
    std::array<BoundSet, kMaxSets> sets;
    std::array<std::byte, kMaxPushConstantBytes> pushConstants = {};
};

using RecordedCommand = std::function<void(Execution&)>;

struct CommandPool;

struct CommandBuffer : Object {
    using Handle = VkCommandBuffer;
    CommandPool* pool = nullptr;
    std::vector<RecordedCommand> commands;
    // The sets of push descriptors as they are after the commands so far.
    std::array<std::shared_ptr<const DescriptorSet>, kMaxSets> pushed;
    bool failed = false;

    void reset();
};

struct CommandPool : Object {
    using Handle = VkCommandPool;
    std::set<CommandBuffer*> buffers;
};

template <typename Function>
void record(VkCommandBuffer handle, Function&& function) {
    from<CommandBuffer>(handle)->commands.emplace_back(std::forward<Function>(function));
}

void executeCommands(Device& device, const CommandBuffer& commands);

// Executes the bound program (dispatch.cpp).
void dispatch(Execution& execution, const std::array<uint32_t, 3>& base,
              const std::array<uint32_t, 3>& groups);

}  // namespace coopvk::reference::icd
