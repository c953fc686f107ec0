// SPDX-License-Identifier: Apache-2.0
#include "checker.hpp"

#include <algorithm>

#include "stages.hpp"

namespace coopvk::check {

using reference::Choice;
using rewrite::BackEnd;

namespace {

// Further passes find what no subgroup size changes: they are part of every third size.
constexpr uint32_t kFurtherEvery = 3;

}  // namespace

Checker::Checker(const Subject& subject, const Options& options)
    : subject_(withStage(subject)),
      options_(forStage(options, subject_)),
      module_(subject.words, subject.specialization),
      entryPoint_(subject_.entryPoint),
      first_(passWith(module_, options_, {})) {}

std::vector<Outcome> Checker::checkAt(uint32_t lanes) {
    lanes_ = lanes;
    placement_ = options_.device ? placementOf(subject_.target.elementLayout)
                                 : placementAt(subject_, entryPoint_, lanes);
    native_ = makeSide({.words = subject_.words,
                        .entryPoint = entryPoint_,
                        .specialization = subject_.specialization,
                        .lanes = lanes,
                        .validate = options_.validate,
                        .stage = options_.memory.stage,
                        .placement = placement_,
                        .optimalLayout = optimalLayoutOf(subject_)});
    Outcome outcome{.lanes = lanes};
    if (options_.device && options_.memory.stage != spv::ExecutionModel::GLCompute) {
        outcome.verdict = Verdict::kNotApplicable;
        outcome.message = "devices are asked for compute shaders only";
        return {outcome};
    }
    if (const auto verdict = checkNative(first_, outcome)) {
        outcome.verdict = *verdict;
        if (native_.program != nullptr) keepReplay(first_, {}, {}, outcome);
        return {outcome};
    }
    const bool hasFurther = executed_++ % kFurtherEvery == 0;
    std::deque<Pass> further = hasFurther ? furtherPasses() : std::deque<Pass>{};
    if (options_.device) return {checkOnDevice(further)};
    std::vector<Outcome> outcomes;
    for (const BackEnd backEnd : options_.backEnds) outcomes.push_back(checkFor(backEnd, further));
    // With other lanes, the module may do something else.
    const Memory& memory = first_.memory;
    if (memory.given != nullptr && !memory.given->after.empty() &&
        lanes == subject_.target.subgroupSize)
        outcomes.push_back(
            checkDevice(first_, {.execution = {.contents = contentsOf(memory, memory.given->after)},
                                 .flushes = kAnyWidth}));
    return outcomes;
}

reference::Settings Checker::settings(const Pass& pass, Choice schedule, Choice sums) const {
    reference::Settings settings;
    settings.subgroupSize = lanes_;
    settings.seed = options_.memory.seed;
    settings.schedule = schedule;
    settings.placement = placement_.value_or(schedule);
    settings.sums = sums;
    settings.checks = options_.checks;
    if (pass.hasRaces) settings.checks &= ~reference::kCheckRaces;
    if (!pass.outside.empty()) settings.checks &= ~reference::kCheckDomain;
    settings.threads = options_.threads;
    settings.steps = options_.steps;
    return settings;
}

reference::Settings Checker::exactSettings(const Pass& pass) const {
    return settings(pass, Choice::kPlain, options_.unit.value_or(Choice::kExact));
}

Choice Checker::sumsFor(Choice schedule) const {
    return options_.unit.value_or(schedule == Choice::kPlain ? Choice::kExact : schedule);
}

// With what they change, the module may be no right program any more: then others take their place.
std::deque<Pass> Checker::furtherPasses() {
    std::deque<Pass> passes = otherPasses();
    if (!options_.moreSpecials || options_.memory.given != nullptr) return passes;
    Pass& pass = passes.emplace_back(passWith(module_, options_, {.specials = true}));
    Outcome unused;
    if (checkNative(pass, unused) || pass.isLimited()) passes.pop_back();
    return passes;
}

std::deque<Pass> Checker::otherPasses() {
    for (const std::vector<Change>& list : furtherChanges(options_, first_.memory.interface)) {
        std::deque<Pass> right;
        for (const Change& change : list) {
            Pass& pass = right.emplace_back(passWith(module_, options_, change));
            Outcome unused;
            if (checkNative(pass, unused) || pass.isLimited()) right.pop_back();
        }
        if (!right.empty()) return right;
    }
    return {};
}

// The rewritten words; nothing, with the outcome's verdict, if there are none.
std::optional<std::vector<uint32_t>> Checker::rewritten(BackEnd backEnd, Outcome& outcome) const {
    if (!subject_.rewritten.empty())
        return std::vector<uint32_t>(subject_.rewritten.begin(), subject_.rewritten.end());
    const rewrite::Target target = targetFor(subject_, lanes_, backEnd);
    const bool isNative = backEnd == BackEnd::kNative;
    outcome.verdict = Verdict::kNotApplicable;
    if (isNative && target.device.nativeShapes.empty()) {
        outcome.message = "the device has no matrices";
        return std::nullopt;
    }
    auto result = rewriteFor(subject_, entryPoint_, lanes_, backEnd);
    if (result) return std::move(result->words);
    outcome.message = result.error().message;
    // The driver's matrices do not carry every module.
    if (!isNative || result.error().code != rewrite::ErrorCode::kUnsupported)
        outcome.verdict = Verdict::kRefused;
    return std::nullopt;
}

Outcome Checker::checkFor(BackEnd backEnd, std::deque<Pass>& further) {
    Outcome outcome{.lanes = lanes_, .backEnd = backEnd};
    const auto words = rewritten(backEnd, outcome);
    if (!words) {
        keepReplay(first_, {}, {}, outcome);
        return outcome;
    }
    outcome.verdict = Verdict::kAgrees;
    const Side side = makeSide({.words = *words,
                                .entryPoint = entryPoint_,
                                .specialization = specializationFor(),
                                .lanes = lanes_,
                                .validate = options_.validate,
                                .stage = options_.memory.stage,
                                .placement = placement_,
                                .contracts = contractsAt(lanes_),
                                .optimalLayout = optimalLayoutOf(subject_)});
    if (side.program == nullptr) {
        outcome.message = side.error;
        outcome.verdict = Verdict::kInvalid;
        keepReplay(first_, {}, {}, outcome);
        return outcome;
    }
    checkPass(side, first_, outcome);
    Pass* shown = &first_;
    for (Pass& pass : further) {
        if (isFault(outcome.verdict) || outcome.verdict == Verdict::kUndefined) break;
        Outcome other{.lanes = lanes_, .backEnd = backEnd, .pass = pass.name};
        checkPass(side, pass, other);
        if (!isFault(other.verdict)) continue;
        outcome = std::move(other);
        shown = &pass;
    }
    keepReplay(*shown, *words, side, outcome);
    return outcome;
}

void Checker::checkPass(const Side& side, Pass& pass, Outcome& outcome) {
    outcome.isRacy = pass.hasRaces;
    if (pass.hasRaces) outcome.message = "the module has races: one schedule";
    if (!pass.outside.empty())
        outcome.message =
            "undefined results of the module itself are what the reference device computes";
    for (const Choice schedule : pass.schedules) {
        checkWith(side, pass, schedule, outcome);
        if (outcome.verdict != Verdict::kAgrees || pass.hasRaces) break;
    }
    countOf(pass, outcome);
}

// What the rewriter makes has no specialization constants.
std::span<const SpecializationValue> Checker::specializationFor() const {
    if (subject_.rewritten.empty()) return {};
    return subject_.specialization;
}

const Freedom& Checker::freedomOf(Pass& pass) const {
    if (pass.freedom) return *pass.freedom;
    const std::vector<uint32_t> lined = rewrite::withLines(subject_.words);
    // What nothing forbids to contract is an interval, with the sum of the rounded product in it.
    const Side native = makeSide({.words = lined,
                                  .entryPoint = entryPoint_,
                                  .specialization = subject_.specialization,
                                  .lanes = lanes_,
                                  .validate = options_.validate,
                                  .stage = options_.memory.stage,
                                  .placement = placement_,
                                  .contracts = contractsAt(lanes_) || options_.device != nullptr,
                                  .optimalLayout = optimalLayoutOf(subject_)});
    pass.freedom = findFreedom(module_, pass.memory, native, pass.groups, exactSettings(pass),
                               pass.exact, options_.functions);
    return *pass.freedom;
}

void Checker::checkWith(const Side& side, Pass& pass, Choice schedule, Outcome& outcome) {
    reference::Settings with = settings(pass, schedule, sumsFor(schedule));
    const Execution result = executeAs(side, pass, schedule, with, outcome);
    outcome.schedule = schedule;
    if (!result.error.empty()) {
        outcome.message = result.error;
        outcome.verdict = pass.outside.empty() ? Verdict::kInvalid : Verdict::kUndefined;
        return;
    }
    if (result.reports.empty() && result.contents == pass.exact.contents) return;
    // What the module itself does in another native execution is no fault of the rewriter.
    const Freedom& freedom = freedomOf(pass);
    for (const reference::Report& report : result.reports)
        if (!freedom.allows(report)) outcome.rewritten.push_back(report);
    if (!outcome.rewritten.empty())
        outcome.verdict = pass.outside.empty() ? Verdict::kReports : verdictOf(pass, outcome);
    outcome.comparison = compare(module_, pass.memory, pass.exact, result, freedom);
    if (outcome.comparison.differences.empty()) return;
    for (Difference& difference : outcome.comparison.differences) {
        difference.nativeWrite =
            findWrite(native_, pass.memory, pass.groups, exactSettings(pass), difference.place);
        difference.rewrittenWrite =
            findWrite(side, pass.memory, pass.groups, with, difference.place);
    }
    outcome.verdict = verdictOf(pass, outcome);
}

}  // namespace coopvk::check
