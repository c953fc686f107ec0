// SPDX-License-Identifier: Apache-2.0
//
// Executions of the module itself.
#include <algorithm>

#include "checker.hpp"

namespace coopvk::check {
namespace {

// Buffers whose type has no end grow by so much, and together to so many bytes.
constexpr uint64_t kGrowth = 4, kMostGrownBytes = uint64_t{1} << 24;

uint32_t checksOf(const Execution& execution) {
    uint32_t checks = 0;
    for (const reference::Report& report : execution.reports) checks |= report.check;
    return checks;
}

}  // namespace

void Checker::executeNative(Pass& pass) const {
    pass.exact = execute(native_, pass.memory, pass.groups, exactSettings(pass), true);
    if (!pass.isFilled && pass.choice.whole == nullptr && hasSeveralFormats(pass.memory)) {
        fillAgain(module_, pass.choice, pass.exact.accessed, pass.memory);
        pass.exact = execute(native_, pass.memory, pass.groups, exactSettings(pass), true);
    }
    if (clearPadding(pass.exact.padding, pass.memory))
        pass.exact = execute(native_, pass.memory, pass.groups, exactSettings(pass), true);
    pass.isFilled = true;
}

// The same with larger buffers whose type has no end, if the module accesses something behind its
// end. Nothing changes if they do not suffice.
void Checker::growBuffers(Pass& pass) const {
    const bool isKnown = pass.choice.whole != nullptr || pass.memory.given != nullptr;
    if (!pass.choice.growsBuffers || isKnown) return;
    Pass grown = {.choice = pass.choice, .groups = pass.groups};
    const auto buffers =
        static_cast<uint64_t>(std::ranges::count_if(pass.memory.buffers, [](const Buffer& buffer) {
            return buffer.use.place != Place::kList;
        }));
    while ((checksOf(pass.exact) & reference::kCheckBounds) != 0) {
        grown.choice.bufferSize *= kGrowth;
        grown.isFilled = false;
        if (grown.choice.bufferSize * buffers > kMostGrownBytes) return;
        grown.memory = makeMemory(module_, grown.choice);
        executeNative(grown);
        if ((checksOf(grown.exact) & reference::kCheckBounds) != 0) continue;
        pass.choice = grown.choice;
        pass.memory = std::move(grown.memory);
        pass.exact = std::move(grown.exact);
    }
}

// Programs divide by zero, or take the inverse square root of it, and drop the result: once more
// with what the reference device computes there, if undefined results are all that was reported.
void Checker::executeDefined(Pass& pass) const {
    const uint32_t checks = checksOf(pass.exact);
    if (!pass.exact.error.empty() ||
        (checks & ~reference::kCheckRaces) != reference::kCheckUndefined)
        return;
    pass.outside = pass.exact.reports;
    Execution undefined = std::move(pass.exact);
    executeNative(pass);
    if (pass.exact.error.empty() && (checksOf(pass.exact) & ~reference::kCheckRaces) == 0) return;
    pass.exact = std::move(undefined);
    pass.outside.clear();
}

// A verdict if there is nothing to compare with.
std::optional<Verdict> Checker::checkNative(Pass& pass, Outcome& outcome) {
    pass.hasRaces = false;
    pass.outside.clear();
    pass.freedom.reset();
    pass.reliesOnReconvergence.reset();
    outcome.message = native_.error;
    if (native_.program == nullptr) return Verdict::kNotExecutable;
    outcome.message = lackedSubgroups(subject_, *native_.program, lanes_);
    if (!outcome.message.empty()) return Verdict::kNotApplicable;
    executeNative(pass);
    growBuffers(pass);
    executeDefined(pass);
    outcome.native = pass.exact.reports;
    outcome.message = pass.exact.error;
    if (!pass.exact.error.empty()) return Verdict::kNotExecutable;
    const uint32_t checks = checksOf(pass.exact);
    // Programs with races of their own still have results, with one schedule.
    pass.hasRaces = checks == reference::kCheckRaces;
    return checks == 0 || pass.hasRaces ? std::nullopt : std::optional(Verdict::kUndefined);
}

}  // namespace coopvk::check
