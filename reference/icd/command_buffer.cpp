// SPDX-License-Identifier: Apache-2.0
#include "command_buffer.hpp"

#include "commands.hpp"
#include "guard.hpp"

namespace coopvk::reference::icd {

void failRecording(VkCommandBuffer handle) noexcept { from<CommandBuffer>(handle)->failed = true; }

void CommandBuffer::reset() {
    commands.clear();
    pushed = {};
    failed = false;
}

// Nothing leaves the queue's thread: what the host has no memory for loses the device.
void executeCommands(Device& device, const CommandBuffer& commands) {
    try {
        Execution execution(device);
        for (const RecordedCommand& command : commands.commands) command(execution);
    } catch (...) {
        device.lose();
    }
}

VkResult CreateCommandPool(VkDevice, const VkCommandPoolCreateInfo*, const VkAllocationCallbacks*,
                           VkCommandPool* out) {
    return make<CommandPool>(out);
}

void DestroyCommandPool(VkDevice, VkCommandPool handle, const VkAllocationCallbacks*) {
    CommandPool* pool = from<CommandPool>(handle);
    if (pool == nullptr) return;
    for (CommandBuffer* buffer : pool->buffers) delete buffer;
    delete pool;
}

VkResult ResetCommandPool(VkDevice, VkCommandPool handle, VkCommandPoolResetFlags) {
    for (CommandBuffer* buffer : from<CommandPool>(handle)->buffers) buffer->reset();
    return VK_SUCCESS;
}

void TrimCommandPool(VkDevice, VkCommandPool, VkCommandPoolTrimFlags) {}

VkResult AllocateCommandBuffers(VkDevice, const VkCommandBufferAllocateInfo* info,
                                VkCommandBuffer* out) {
    CommandPool& pool = *from<CommandPool>(info->commandPool);
    std::fill_n(out, info->commandBufferCount, VK_NULL_HANDLE);
    for (uint32_t i = 0; i < info->commandBufferCount; ++i) {
        auto buffer = std::make_unique<CommandBuffer>();
        buffer->pool = &pool;
        pool.buffers.insert(buffer.get());
        out[i] = handleOf(buffer.release());
    }
    return VK_SUCCESS;
}

void FreeCommandBuffers(VkDevice, VkCommandPool handle, uint32_t count,
                        const VkCommandBuffer* buffers) {
    for (uint32_t i = 0; i < count; ++i) {
        CommandBuffer* buffer = from<CommandBuffer>(buffers[i]);
        from<CommandPool>(handle)->buffers.erase(buffer);
        delete buffer;
    }
}

VkResult BeginCommandBuffer(VkCommandBuffer handle, const VkCommandBufferBeginInfo*) {
    from<CommandBuffer>(handle)->reset();
    return VK_SUCCESS;
}

VkResult EndCommandBuffer(VkCommandBuffer handle) {
    return from<CommandBuffer>(handle)->failed ? VK_ERROR_OUT_OF_HOST_MEMORY : VK_SUCCESS;
}

VkResult ResetCommandBuffer(VkCommandBuffer handle, VkCommandBufferResetFlags) {
    from<CommandBuffer>(handle)->reset();
    return VK_SUCCESS;
}

// Secondary command buffers inherit no state, and leave none.
void CmdExecuteCommands(VkCommandBuffer handle, uint32_t count, const VkCommandBuffer* buffers) {
    std::vector<const CommandBuffer*> secondaries;
    for (uint32_t i = 0; i < count; ++i) secondaries.push_back(from<CommandBuffer>(buffers[i]));
    record(handle, [secondaries](Execution& execution) {
        for (const CommandBuffer* secondary : secondaries)
            executeCommands(execution.device, *secondary);
    });
}

}  // namespace coopvk::reference::icd
