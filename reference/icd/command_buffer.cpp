// SPDX-License-Identifier: Apache-2.0
#include "command_buffer.hpp"

#include "commands.hpp"

namespace coopvk::reference::icd {
namespace {

struct CommandPool : ObjectOf<VkCommandPool> {
    CommandPool(Device& on, const VkCommandPoolCreateInfo&) : device(on) {}
    Device& device;
    Children<CommandBuffer> buffers;
};

}  // namespace

void failRecording(VkCommandBuffer handle, VkResult error) noexcept {
    from<CommandBuffer>(handle)->result = error;
}

void CommandBuffer::reset() {
    commands.clear();
    pushed = {};
    result = VK_SUCCESS;
}

// Nothing leaves the queue's thread: what the host has no memory for loses the device.
void CommandBuffer::execute() const {
    try {
        Execution execution{device};
        const auto ended = [](const auto& used) { return used.expired(); };
        for (const RecordedCommand& command : commands) {
            if (std::any_of(command.lives.begin(), command.lives.end(), ended)) {
                device.refuse("a command uses an object that was destroyed");
            } else {
                command.execute(execution);
            }
        }
    } catch (...) {
        device.lose();
    }
}

COOPVK_OBJECT(CommandPool)

VkResult ResetCommandPool(VkDevice, VkCommandPool handle, VkCommandPoolResetFlags) {
    for (auto& [unused, buffer] : from<CommandPool>(handle)->buffers.all) buffer->reset();
    return VK_SUCCESS;
}

VkResult AllocateCommandBuffers(VkDevice, const VkCommandBufferAllocateInfo* info,
                                VkCommandBuffer* out) {
    CommandPool& pool = *from<CommandPool>(info->commandPool);
    return pool.buffers.add(info->commandBufferCount, out,
                            [&](uint32_t) { return std::make_unique<CommandBuffer>(pool.device); });
}

void FreeCommandBuffers(VkDevice, VkCommandPool pool, uint32_t count,
                        const VkCommandBuffer* buffers) {
    from<CommandPool>(pool)->buffers.remove(count, buffers);
}

VkResult BeginCommandBuffer(VkCommandBuffer handle, const VkCommandBufferBeginInfo*) {
    from<CommandBuffer>(handle)->reset();
    return VK_SUCCESS;
}

VkResult EndCommandBuffer(VkCommandBuffer handle) { return from<CommandBuffer>(handle)->result; }

VkResult ResetCommandBuffer(VkCommandBuffer handle, VkCommandBufferResetFlags) {
    from<CommandBuffer>(handle)->reset();
    return VK_SUCCESS;
}

// Secondary command buffers inherit no state, and leave none.
void CmdExecuteCommands(VkCommandBuffer handle, uint32_t count, const VkCommandBuffer* buffers) {
    for (const VkCommandBuffer each : std::span(buffers, count)) {
        const CommandBuffer* secondary = from<CommandBuffer>(each);
        record(handle, [secondary](Execution&) { secondary->execute(); }, secondary);
    }
}

}  // namespace coopvk::reference::icd
