// SPDX-License-Identifier: Apache-2.0
#include "inputs/dispatch_inputs.hpp"

#include <algorithm>

#include "inputs/reach.hpp"
#include "report/dump.hpp"

namespace coopvk::layer::inputs {

void Recording::forget() {
    simultaneous = conditional = false;
    shader = nullptr;
    sets.clear();
    opaque.clear();
    pushConstants.clear();
}

void DispatchInputs::reportNoMemory() noexcept {
    dumps_.log().warn("dump_inputs: no memory to keep inputs of dispatches");
}

void DispatchInputs::add(uint64_t shader, const DumpedShader& dumped) noexcept {
    track([&](State& state) {
        auto& kept = state.shadersByName[dumped.request.name];
        if (kept == nullptr)
            kept = std::make_shared<KeptShader>(
                KeptShader{dumped.request.name, dumped.request.text, dumped.usesAddresses});
        state.shaders[shader] = kept;
    });
}

void DispatchInputs::warn(const KeptShader& shader, std::string_view what) {
    due_.warnings.push_back("dump_inputs: " + shader.name + ": " + std::string(what));
}

std::shared_ptr<KeptDispatch> DispatchInputs::keep(VkCommandBuffer commands,
                                                   const Asked& asked) noexcept {
    std::optional<Needed> needed;
    trackCommands(commands, [&](Recording& state, State&) {
        needed = find(state, asked);
        if (needed) ++needed->shader->kept;
    });
    if (!needed) return nullptr;
    const std::shared_ptr<KeptShader> shader = needed->shader;
    KeptRef kept;
    try {
        kept = KeptDispatch::make(driver, shader, std::move(needed->record), needed->ranges,
                                  asked.indirect);
    } catch (...) {
        reportNoMemory();
    }
    bool isHeld = false;
    trackCommands(commands, [&](Recording& state, State&) {
        if (kept == nullptr) {
            warn(*shader, "the device has no memory for copies of its inputs");
            return;
        }
        kept->sets = std::move(needed->sets);
        state.kept.push_back(kept);
        isHeld = true;
    });
    if (isHeld) return kept;
    track([&](State&) { --shader->kept; });
    return nullptr;
}

std::optional<DispatchInputs::Needed> DispatchInputs::find(Recording& commands,
                                                           const Asked& asked) {
    if (commands.shader == nullptr || commands.shader->kept >= limits_.dispatches) return {};
    const KeptShader& shader = *commands.shader;
    const auto pool = state_.pools.find(commands.pool);
    if (pool != state_.pools.end() && pool->second) {
        warn(shader, "nothing is kept of dispatches in protected command buffers");
        return {};
    }
    Reach reach(state_.objects, limits_.bytes);
    reach.addSets(commands);
    if (shader.usesAddresses) reach.addAddresses(commands.pushConstants);
    RecordedDispatch record = reach.finish();
    record.groups = asked.groups;
    record.base = asked.base;
    record.pushConstants = commands.pushConstants;
    if (commands.conditional) record.notes.emplace_back("under a condition");
    for (const std::string& line : record.missing) warn(shader, line + " is not kept");
    Needed needed{std::move(record), reach.ranges(), {}, commands.shader};
    for (const auto& [number, bound] : commands.sets)
        if (bound.set->layout != nullptr)
            needed.sets.push_back({number, bound.set, bound.set->updates});
    return needed;
}

}  // namespace coopvk::layer::inputs
