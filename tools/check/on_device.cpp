// SPDX-License-Identifier: Apache-2.0
//
// What devices made of a module, other than the reference device.
#include "checker.hpp"

namespace coopvk::check {

// What a device made of the memory.
Outcome Checker::checkDevice(Pass& pass, const OnDevice& on) {
    const Execution& device = on.execution;
    Outcome outcome{.lanes = lanes_, .isDevice = true, .pass = pass.name};
    if (!device.error.empty()) {
        outcome.message = device.error;
        outcome.verdict = Verdict::kInvalid;
        return outcome;
    }
    if (device.contents != pass.exact.contents)
        outcome.comparison = compare(module_, pass.memory, pass.exact, device, freedomOf(pass));
    if (!outcome.comparison.differences.empty() && on.flushes != 0) allowFlushes(pass, on, outcome);
    countOf(pass, outcome);
    if (outcome.comparison.differences.empty()) return outcome;
    outcome.verdict = verdictOf(pass, outcome);
    for (Difference& difference : outcome.comparison.differences)
        difference.nativeWrite =
            findWrite(native_, pass.memory, pass.groups, exactSettings(pass), difference.place);
    return outcome;
}

// Vulkan lets a device flush denormals that it cannot preserve, in each instruction.
void Checker::allowFlushes(Pass& pass, const OnDevice& on, Outcome& outcome) {
    const Side side = makeSide({.words = subject_.words,
                                .entryPoint = entryPoint_,
                                .specialization = subject_.specialization,
                                .lanes = lanes_,
                                .validate = false,
                                .stage = options_.memory.stage,
                                .placement = placement_,
                                .flushed = on.flushes,
                                .optimalLayout = optimalLayoutOf(subject_)});
    if (side.program == nullptr) return;
    const Execution flushed = execute(side, pass.memory, pass.groups, exactSettings(pass));
    if (!flushed.error.empty()) return;
    const Execution device = asNative(module_, pass.memory, pass.exact, flushed, on.execution);
    Comparison comparison = compare(module_, pass.memory, pass.exact, device, freedomOf(pass));
    if (comparison.differences.empty())
        outcome.message = "the device flushes denormals, which it need not preserve";
    outcome.comparison = std::move(comparison);
}

Outcome Checker::checkOnDevice(std::deque<Pass>& further) {
    // The device's own optimal layouts are not known.
    if (reference::usesOptimalLayouts(*native_.program))
        return Outcome{.lanes = lanes_,
                       .isDevice = true,
                       .verdict = Verdict::kNotApplicable,
                       .message = "a matrix has a layout that each device chooses"};
    const auto on = [&](Pass& pass) {
        const OnDevice result =
            options_.device({subject_.words, entryPoint_, subject_.specialization, lanes_, module_,
                             pass.memory, pass.groups, reference::workgroupSize(*native_.program)});
        if (result.whyNot.empty()) return checkDevice(pass, result);
        return Outcome{.lanes = lanes_,
                       .isDevice = true,
                       .verdict = Verdict::kNotApplicable,
                       .message = result.whyNot,
                       .pass = pass.name};
    };
    Outcome outcome = on(first_);
    for (Pass& pass : further) {
        if (isFault(outcome.verdict)) break;
        Outcome other = on(pass);
        if (isFault(other.verdict)) outcome = std::move(other);
    }
    return outcome;
}

}  // namespace coopvk::check
