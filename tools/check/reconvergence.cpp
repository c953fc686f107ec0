// SPDX-License-Identifier: Apache-2.0
//
// Lanes that part, and that nothing promises to bring together again.
#include "checker.hpp"

namespace coopvk::check {
namespace {

using reference::Choice;
using reference::Reconvergence;

// Devices without the mode that rewritten code declares meet at merge blocks, or no code with
// branches of some subgroups would be right there.
Reconvergence reconvergenceOf(Choice schedule, const rewrite::DeviceTraits& device) {
    if (!device.shaderSubgroupUniformControlFlow) return Reconvergence::kMaximal;
    if (schedule == Choice::kShuffled) return Reconvergence::kRandom;
    return schedule == Choice::kAdversarial ? Reconvergence::kMinimal : Reconvergence::kMaximal;
}

bool isSame(const Execution& a, const Execution& exact) {
    return a.error.empty() && a.reports.empty() && a.contents == exact.contents;
}

}  // namespace

bool Checker::reliesOnReconvergence(Pass& pass) const {
    if (pass.reliesOnReconvergence) return *pass.reliesOnReconvergence;
    reference::Settings apart = exactSettings(pass);
    apart.reconvergence = Reconvergence::kMinimal;
    const Execution result = execute(native_, pass.memory, pass.groups, apart);
    pass.reliesOnReconvergence = !isSame(result, pass.exact);
    return *pass.reliesOnReconvergence;
}

// An execution of the rewritten module. Where the module itself relies on lanes that meet at merge
// blocks, they meet.
Execution Checker::executeAs(const Side& side, Pass& pass, Choice schedule,
                             reference::Settings& with, Outcome& outcome) const {
    with.reconvergence = reconvergenceOf(schedule, subject_.target.device);
    Execution result = execute(side, pass.memory, pass.groups, with);
    if (with.reconvergence == Reconvergence::kMaximal || isSame(result, pass.exact)) return result;
    if (!reliesOnReconvergence(pass)) return result;
    outcome.reliesOnReconvergence = true;
    outcome.message = "the module relies on reconvergence that nothing promises";
    with.reconvergence = Reconvergence::kMaximal;
    return execute(side, pass.memory, pass.groups, with);
}

}  // namespace coopvk::check
