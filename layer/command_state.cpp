// SPDX-License-Identifier: Apache-2.0
#include "command_state.hpp"

#include "registry.hpp"

namespace coopvk::layer {

void PushConstantLog::add(Entry entry) {
    std::erase_if(entries_, [&](const Entry& earlier) {
        return earlier.offset >= entry.offset && earlier.end() <= entry.end() &&
               (earlier.stages & ~entry.stages) == 0 && earlier.bank == entry.bank;
    });
    entries_.push_back(std::move(entry));
}

void CommandState::forget() {
    computePipeline = VK_NULL_HANDLE;
    computeShader = VK_NULL_HANDLE;
    usesHeaps = false;
    pushConstants.clear();
    condition = {};
    converts = false;
    failure = VK_SUCCESS;
}

void CommandState::setUsesHeaps(bool heaps) {
    if (usesHeaps != heaps) pushConstants.clear();
    usesHeaps = heaps;
}

const VkuDeviceDispatchTable& nextOf(VkCommandBuffer commands,
                                     const std::shared_ptr<CommandState>& state) {
    return state != nullptr ? state->device->next : devices().find(commands)->next;
}

size_t CommandStates::shardOf(VkCommandBuffer commands) const {
    const auto address = reinterpret_cast<uintptr_t>(commands);
    return (address >> 4 ^ address >> 12) % shards_.size();
}

void CommandStates::add(VkCommandBuffer commands, std::shared_ptr<CommandState> state) {
    Shard& shard = shards_[shardOf(commands)];
    const std::unique_lock lock(shard.mutex);
    shard.states.insert_or_assign(commands, std::move(state));
}

std::shared_ptr<CommandState> CommandStates::find(VkCommandBuffer commands) const {
    const Shard& shard = shards_[shardOf(commands)];
    const std::shared_lock lock(shard.mutex);
    const auto found = shard.states.find(commands);
    return found != shard.states.end() ? found->second : nullptr;
}

void CommandStates::remove(VkCommandBuffer commands) noexcept {
    Shard& shard = shards_[shardOf(commands)];
    const std::unique_lock lock(shard.mutex);
    shard.states.erase(commands);
}

template <typename Predicate>
void CommandStates::removeIf(const Predicate& predicate) noexcept {
    for (Shard& shard : shards_) {
        const std::unique_lock lock(shard.mutex);
        std::erase_if(shard.states, [&](const auto& entry) { return predicate(*entry.second); });
    }
}

void CommandStates::removePool(const DeviceContext& device, VkCommandPool pool) noexcept {
    removeIf([&](const CommandState& state) {
        return state.device.get() == &device && state.pool == pool;
    });
}

void CommandStates::removeDevice(const DeviceContext& device) noexcept {
    removeIf([&](const CommandState& state) { return state.device.get() == &device; });
}

CommandStates& commandStates() {
    static auto* states = new CommandStates;
    return *states;
}

}  // namespace coopvk::layer
