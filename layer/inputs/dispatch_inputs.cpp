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

std::shared_ptr<KeptDispatch> DispatchInputs::keep(VkCommandBuffer commands,
                                                   const Asked& asked) noexcept {
    std::shared_ptr<KeptDispatch> kept;
    trackCommands(commands, [&](Recording& state, State&) {
        if (state.shader != nullptr && state.shader->kept < limits_.dispatches)
            kept = keepLocked(state, asked);
    });
    return kept;
}

std::shared_ptr<KeptDispatch> DispatchInputs::keepLocked(Recording& commands, const Asked& asked) {
    const KeptShader& shader = *commands.shader;
    const auto pool = state_.pools.find(commands.pool);
    if (pool != state_.pools.end() && pool->second) {
        dumps_.log().warn("dump_inputs: " + shader.name +
                          ": nothing is kept of dispatches in protected command buffers");
        return nullptr;
    }
    Reach reach(state_.objects, limits_.bytes);
    reach.addSets(commands);
    if (shader.usesAddresses) reach.addAddresses(commands.pushConstants);
    RecordedDispatch record = reach.finish();
    record.groups = asked.groups;
    record.base = asked.base;
    record.pushConstants = commands.pushConstants;
    if (commands.conditional) record.notes.emplace_back("under a condition");
    for (const std::string& line : record.missing)
        dumps_.log().warn("dump_inputs: " + shader.name + ": " + line + " is not kept");
    auto kept = KeptDispatch::make(driver, commands.shader, std::move(record), reach.ranges(),
                                   asked.indirect);
    if (kept == nullptr) {
        dumps_.log().warn("dump_inputs: " + shader.name +
                          ": the device has no memory for copies of its inputs");
        return nullptr;
    }
    for (const auto& [number, bound] : commands.sets)
        if (bound.set->layout != nullptr)
            kept->sets.push_back({number, bound.set, bound.set->updates});
    commands.kept.push_back(kept);
    ++commands.shader->kept;
    return kept;
}

}  // namespace coopvk::layer::inputs
