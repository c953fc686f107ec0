// SPDX-License-Identifier: Apache-2.0
//
// The lives of shaders and command buffers, and dispatches. Command buffers that are recorded again
// or end are read before that.
#include "inputs/commands.hpp"
#include "inputs/inputs_of.hpp"

namespace coopvk::layer::inputs {
namespace {

void retireBuffersOf(VkCommandPool pool, DispatchInputs& inputs, State& state) {
    for (auto& [commands, one] : state.commands)
        if (one.pool == pool) inputs.retire(one);
}

// The dispatch between the copies of its inputs and those of its results.
template <typename Dispatch>
void dispatch(VkCommandBuffer commands, const DispatchInputs::Asked& asked,
              const Dispatch& record) {
    const auto kept = inputsOf(commands).keep(commands, asked);
    if (kept != nullptr) kept->recordBefore(commands);
    record();
    if (kept != nullptr) kept->recordAfter(commands);
}

// The same; find(objects) returns the buffer with the number of workgroups, or null, and the offset
// there. If it cannot be copied, nothing is kept.
template <typename Find, typename Dispatch>
void dispatchIndirect(VkCommandBuffer commands, const Find& find, const Dispatch& record) {
    DispatchInputs::Asked asked;
    inputsOf(commands).track([&](State& state) {
        const std::pair<const TrackedBuffer*, VkDeviceSize> found = find(state.objects);
        if (found.first == nullptr || !found.first->canBeCopied) return;
        asked.indirect = IndirectCount{found.first->handle, found.second};
    });
    if (asked.indirect) return dispatch(commands, asked, record);
    record();
}

}  // namespace

void destroyPipeline(VkDevice device, VkPipeline pipeline, const VkAllocationCallbacks* allocator) {
    DispatchInputs& inputs = inputsOf(device);
    inputs.track([&](State& state) { state.shaders.erase(reinterpret_cast<uint64_t>(pipeline)); });
    inputs.driver.next.DestroyPipeline(device, pipeline, allocator);
}

void destroyShaderObject(VkDevice device, VkShaderEXT shader,
                         const VkAllocationCallbacks* allocator) {
    DispatchInputs& inputs = inputsOf(device);
    inputs.track([&](State& state) { state.shaders.erase(reinterpret_cast<uint64_t>(shader)); });
    inputs.driver.next.DestroyShaderEXT(device, shader, allocator);
}

VkResult createCommandPool(VkDevice device, const VkCommandPoolCreateInfo* info,
                           const VkAllocationCallbacks* allocator, VkCommandPool* pool) {
    DispatchInputs& inputs = inputsOf(device);
    const VkResult result = inputs.driver.next.CreateCommandPool(device, info, allocator, pool);
    if (result != VK_SUCCESS) return result;
    const bool isProtected = (info->flags & VK_COMMAND_POOL_CREATE_PROTECTED_BIT) != 0;
    inputs.track([&](State& state) { state.pools[*pool] = isProtected; });
    return result;
}

VkResult resetCommandPool(VkDevice device, VkCommandPool pool, VkCommandPoolResetFlags flags) {
    DispatchInputs& inputs = inputsOf(device);
    inputs.track([&](State& state) { retireBuffersOf(pool, inputs, state); });
    return inputs.driver.next.ResetCommandPool(device, pool, flags);
}

void destroyCommandPool(VkDevice device, VkCommandPool pool,
                        const VkAllocationCallbacks* allocator) {
    DispatchInputs& inputs = inputsOf(device);
    inputs.track([&](State& state) {
        retireBuffersOf(pool, inputs, state);
        std::erase_if(state.commands, [&](const auto& row) { return row.second.pool == pool; });
        state.pools.erase(pool);
    });
    inputs.driver.next.DestroyCommandPool(device, pool, allocator);
}

VkResult allocateCommandBuffers(VkDevice device, const VkCommandBufferAllocateInfo* info,
                                VkCommandBuffer* buffers) {
    DispatchInputs& inputs = inputsOf(device);
    const VkResult result = inputs.driver.next.AllocateCommandBuffers(device, info, buffers);
    if (result != VK_SUCCESS) return result;
    inputs.track([&](State& state) {
        for (VkCommandBuffer commands : std::span(buffers, info->commandBufferCount)) {
            Recording& one = state.commands[commands];
            one.pool = info->commandPool;
            one.level = info->level;
        }
    });
    return result;
}

void freeCommandBuffers(VkDevice device, VkCommandPool pool, uint32_t count,
                        const VkCommandBuffer* buffers) {
    DispatchInputs& inputs = inputsOf(device);
    inputs.track([&](State& state) {
        for (VkCommandBuffer commands : std::span(buffers, count)) {
            const auto found = state.commands.find(commands);
            if (found == state.commands.end()) continue;
            inputs.retire(found->second);
            state.commands.erase(found);
        }
    });
    inputs.driver.next.FreeCommandBuffers(device, pool, count, buffers);
}

VkResult beginCommandBuffer(VkCommandBuffer commands, const VkCommandBufferBeginInfo* info) {
    DispatchInputs& inputs = inputsOf(commands);
    inputs.trackCommands(commands, [&](Recording& state, State&) {
        inputs.retire(state);
        state.forget();
        state.simultaneous = (info->flags & VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT) != 0;
    });
    return inputs.driver.next.BeginCommandBuffer(commands, info);
}

VkResult resetCommandBuffer(VkCommandBuffer commands, VkCommandBufferResetFlags flags) {
    DispatchInputs& inputs = inputsOf(commands);
    inputs.trackCommands(commands, [&](Recording& state, State&) {
        inputs.retire(state);
        state.forget();
    });
    return inputs.driver.next.ResetCommandBuffer(commands, flags);
}

// After secondary command buffers it is undefined what is bound.
void cmdExecuteCommands(VkCommandBuffer commands, uint32_t count,
                        const VkCommandBuffer* secondaries) {
    DispatchInputs& inputs = inputsOf(commands);
    inputs.driver.next.CmdExecuteCommands(commands, count, secondaries);
    inputs.trackCommands(commands, [&](Recording& state, State& all) {
        state.shader = nullptr;
        state.sets.clear();
        state.pushConstants.clear();
        for (VkCommandBuffer secondary : std::span(secondaries, count)) {
            const auto found = all.commands.find(secondary);
            if (found == all.commands.end()) continue;
            const auto& kept = found->second.kept;
            state.executed.insert(state.executed.end(), kept.begin(), kept.end());
        }
    });
}

void cmdDispatch(VkCommandBuffer commands, uint32_t x, uint32_t y, uint32_t z) {
    dispatch(commands, {.groups = {x, y, z}},
             [&] { inputsOf(commands).driver.next.CmdDispatch(commands, x, y, z); });
}

void cmdDispatchBase(VkCommandBuffer commands, uint32_t baseX, uint32_t baseY, uint32_t baseZ,
                     uint32_t x, uint32_t y, uint32_t z) {
    const auto next =
        either(inputsOf(commands), &Table::CmdDispatchBase, &Table::CmdDispatchBaseKHR);
    dispatch(commands, {{baseX, baseY, baseZ}, {x, y, z}},
             [&] { next(commands, baseX, baseY, baseZ, x, y, z); });
}

void cmdDispatchIndirect(VkCommandBuffer commands, VkBuffer buffer, VkDeviceSize offset) {
    const auto find = [&](const Objects& objects) {
        return std::pair(objects.buffer(buffer), offset);
    };
    dispatchIndirect(commands, find, [&] {
        inputsOf(commands).driver.next.CmdDispatchIndirect(commands, buffer, offset);
    });
}

#ifdef VK_KHR_device_address_commands
void cmdDispatchIndirect2(VkCommandBuffer commands, const VkDispatchIndirect2InfoKHR* info) {
    const VkDeviceAddress address = info->addressRange.address;
    const auto find = [&](const Objects& objects) {
        const TrackedBuffer* buffer = objects.bufferAt(address);
        return std::pair(buffer, buffer != nullptr ? address - buffer->address : 0);
    };
    dispatchIndirect(commands, find, [&] {
        inputsOf(commands).driver.next.CmdDispatchIndirect2KHR(commands, info);
    });
}
#endif

}  // namespace coopvk::layer::inputs
