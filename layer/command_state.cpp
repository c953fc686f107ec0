// SPDX-License-Identifier: Apache-2.0
#include "command_state.hpp"

#include "context.hpp"

namespace coopvk::layer {

void PushConstantLog::add(PushLayout layout, VkShaderStageFlags stages, uint32_t offset,
                          std::span<const std::byte> bytes) {
    const uint32_t end = offset + static_cast<uint32_t>(bytes.size());
    std::erase_if(entries_, [&](const Entry& entry) {
        return entry.offset >= offset && entry.end() <= end && (entry.stages & ~stages) == 0;
    });
    entries_.push_back({std::move(layout), stages, offset, {bytes.begin(), bytes.end()}});
}

void CommandState::forget() {
    computePipeline = VK_NULL_HANDLE;
    computeShader = VK_NULL_HANDLE;
    pushConstants.clear();
    condition.reset();
    failure = VK_SUCCESS;
}

void CommandStates::removePool(const DeviceContext& device, VkCommandPool pool) {
    const auto ours = [&](const std::shared_ptr<CommandState>& state) {
        return state->device.get() == &device && state->pool == pool;
    };
    for (const auto& [commands, state] : states_.snapshot(ours)) states_.erase(commands);
}

void CommandStates::removeDevice(const DeviceContext& device) {
    const auto ours = [&](const std::shared_ptr<CommandState>& state) {
        return state->device.get() == &device;
    };
    for (const auto& [commands, state] : states_.snapshot(ours)) states_.erase(commands);
}

CommandStates& commandStates() {
    static auto* states = new CommandStates;
    return *states;
}

}  // namespace coopvk::layer
