// SPDX-License-Identifier: Apache-2.0
#include "check.hpp"

#include <algorithm>
#include <optional>

namespace coopvk::check {
namespace {

using reference::Choice;
using rewrite::BackEnd;

struct VerdictRow {
    Verdict verdict;
    std::string_view name;
    bool isFault;
};
constexpr VerdictRow kVerdicts[] = {
    {Verdict::kAgrees, "agrees", false},
    {Verdict::kDiffers, "differs", true},
    {Verdict::kReports, "reports", true},
    {Verdict::kInvalid, "invalid", true},
    {Verdict::kRefused, "refused", false},
    {Verdict::kUndefined, "undefined", false},
    {Verdict::kNotExecutable, "not executable", false},
    {Verdict::kNotApplicable, "not applicable", false},
};

const VerdictRow& rowOf(Verdict verdict) {
    return *std::ranges::find(kVerdicts, verdict, &VerdictRow::verdict);
}

// What is the same for all back-ends at one subgroup size.
class Checker {
 public:
    Checker(const Subject& subject, const Options& options)
        : subject_(subject),
          options_(options),
          module_(subject.words, subject.specialization),
          memory_(makeMemory(module_, options.memory)) {
        entryPoint_ = subject.entryPoint.empty() ? module_.entryPoint() : subject.entryPoint;
    }

    std::vector<Outcome> checkAt(uint32_t lanes) {
        lanes_ = lanes;
        hasRaces_ = false;
        freedom_.reset();
        native_ = makeSide(
            {subject_.words, entryPoint_, subject_.specialization, lanes, options_.validate});
        Outcome outcome{.lanes = lanes};
        if (const auto verdict = checkNative(outcome)) {
            outcome.verdict = *verdict;
            return {outcome};
        }
        std::vector<Outcome> outcomes;
        for (const BackEnd backEnd : options_.backEnds) outcomes.push_back(checkFor(backEnd));
        // With other lanes, the module may do something else.
        if (memory_.given != nullptr && !memory_.given->after.empty() &&
            lanes == subject_.target.subgroupSize)
            outcomes.push_back(checkDevice());
        return outcomes;
    }

 private:
    reference::Settings settings(Choice schedule, Choice sums) const {
        reference::Settings settings;
        settings.subgroupSize = lanes_;
        settings.seed = options_.memory.seed;
        settings.schedule = settings.placement = schedule;
        settings.sums = sums;
        settings.checks = hasRaces_ ? options_.checks & ~reference::kCheckRaces : options_.checks;
        settings.threads = options_.threads;
        settings.steps = options_.steps;
        return settings;
    }

    // A verdict if there is nothing to compare with.
    std::optional<Verdict> checkNative(Outcome& outcome) {
        outcome.message = native_.error;
        if (native_.program == nullptr) return Verdict::kNotExecutable;
        const auto size = reference::workgroupSize(*native_.program);
        if (uint64_t{size[0]} * size[1] * size[2] % lanes_ != 0) {
            outcome.message = "the workgroup is not whole subgroups";
            return Verdict::kNotApplicable;
        }
        exact_ =
            execute(native_, memory_, options_.groups, settings(Choice::kPlain, Choice::kExact));
        outcome.native = exact_.reports;
        outcome.message = exact_.error;
        if (!exact_.error.empty()) return Verdict::kNotExecutable;
        uint32_t checks = 0;
        for (const reference::Report& report : exact_.reports) checks |= report.check;
        // Programs with races of their own still have results, with one schedule.
        hasRaces_ = checks == reference::kCheckRaces;
        return checks == 0 || hasRaces_ ? std::nullopt : std::optional(Verdict::kUndefined);
    }

    rewrite::Target targetFor(BackEnd backEnd) const {
        rewrite::Target target = subject_.target;
        target.subgroupSize = lanes_;
        target.device.minSubgroupSize = std::min(target.device.minSubgroupSize, lanes_);
        target.device.maxSubgroupSize = std::max(target.device.maxSubgroupSize, lanes_);
        if (!subject_.asRecorded) target.backEnd = backEnd;
        return target;
    }

    // The rewritten words; nothing, with the outcome's verdict, if there are none.
    std::optional<std::vector<uint32_t>> rewritten(BackEnd backEnd, Outcome& outcome) const {
        if (!subject_.rewritten.empty())
            return std::vector<uint32_t>(subject_.rewritten.begin(), subject_.rewritten.end());
        const rewrite::Target target = targetFor(backEnd);
        const std::vector<uint32_t> lined = rewrite::withLines(subject_.words);
        const bool isNative = backEnd == BackEnd::kNative;
        outcome.verdict = Verdict::kNotApplicable;
        if (isNative && target.device.nativeShapes.empty()) {
            outcome.message = "the device has no matrices";
            return std::nullopt;
        }
        std::vector<rewrite::SpecializationEntry> entries;
        for (const SpecializationValue& value : subject_.specialization)
            entries.push_back(
                {value.constantId, std::as_bytes(std::span(&value.bits, 1)).first(value.size)});
        auto result = rewrite::rewrite({.words = lined,
                                        .entryPoint = entryPoint_,
                                        .specialization = entries,
                                        .maxSteps = subject_.maxSteps},
                                       target);
        if (result) return std::move(result->words);
        outcome.message = result.error().message;
        // The driver's matrices do not carry every module.
        if (!isNative || result.error().code != rewrite::ErrorCode::kUnsupported)
            outcome.verdict = Verdict::kRefused;
        return std::nullopt;
    }

    Outcome checkFor(BackEnd backEnd) {
        Outcome outcome{.lanes = lanes_, .backEnd = backEnd};
        const auto words = rewritten(backEnd, outcome);
        if (!words) return outcome;
        outcome.verdict = Verdict::kAgrees;
        const Side side =
            makeSide({*words, entryPoint_, specializationFor(), lanes_, options_.validate});
        if (side.program == nullptr) {
            outcome.message = side.error;
            outcome.verdict = Verdict::kInvalid;
            return outcome;
        }
        outcome.isRacy = hasRaces_;
        if (hasRaces_) outcome.message = "the module has races: one schedule";
        for (const Choice schedule : options_.schedules) {
            checkWith(side, schedule, outcome);
            if (outcome.verdict != Verdict::kAgrees || hasRaces_) break;
        }
        return outcome;
    }

    // What the rewriter makes has no specialization constants.
    std::span<const SpecializationValue> specializationFor() const {
        if (subject_.rewritten.empty()) return {};
        return subject_.specialization;
    }

    const Freedom& freedom() {
        if (freedom_) return *freedom_;
        const std::vector<uint32_t> lined = rewrite::withLines(subject_.words);
        const Side native =
            makeSide({lined, entryPoint_, subject_.specialization, lanes_, options_.validate});
        freedom_ = findFreedom(module_, memory_, native, options_.groups,
                               settings(Choice::kPlain, Choice::kExact), exact_);
        return *freedom_;
    }

    // What the device made of the memory that is given.
    Outcome checkDevice() {
        Outcome outcome{.lanes = lanes_, .isDevice = true};
        const Execution device{.contents = contentsOf(memory_, memory_.given->after)};
        if (device.contents == exact_.contents) return outcome;
        outcome.comparison = compare(module_, memory_, exact_, device, freedom());
        if (!outcome.comparison.differences.empty())
            outcome.verdict = hasRaces_ ? Verdict::kUndefined : Verdict::kDiffers;
        for (Difference& difference : outcome.comparison.differences)
            difference.nativeWrite =
                findWrite(native_, memory_, options_.groups,
                          settings(Choice::kPlain, Choice::kExact), difference.place);
        return outcome;
    }

    void checkWith(const Side& side, Choice schedule, Outcome& outcome) {
        const Choice sums = schedule == Choice::kPlain ? Choice::kExact : schedule;
        const Execution result = execute(side, memory_, options_.groups, settings(schedule, sums));
        outcome.schedule = schedule;
        if (!result.error.empty()) {
            outcome.message = result.error;
            outcome.verdict = Verdict::kInvalid;
            return;
        }
        if (result.reports.empty() && result.contents == exact_.contents) return;
        // What the module itself does in another native execution is no fault of the rewriter.
        for (const reference::Report& report : result.reports)
            if (!freedom().allows(report)) outcome.rewritten.push_back(report);
        if (!outcome.rewritten.empty()) outcome.verdict = Verdict::kReports;
        outcome.comparison = compare(module_, memory_, exact_, result, freedom());
        if (outcome.comparison.differences.empty()) return;
        for (Difference& difference : outcome.comparison.differences) {
            const auto exact = settings(Choice::kPlain, Choice::kExact);
            difference.nativeWrite =
                findWrite(native_, memory_, options_.groups, exact, difference.place);
            difference.rewrittenWrite = findWrite(side, memory_, options_.groups,
                                                  settings(schedule, sums), difference.place);
        }
        const bool isRace = hasRaces_ || (freedom().checks & reference::kCheckRaces) != 0;
        outcome.verdict = isRace ? Verdict::kUndefined : Verdict::kDiffers;
    }

    const Subject& subject_;
    const Options& options_;
    Module module_;
    Memory memory_;
    std::string entryPoint_;
    uint32_t lanes_ = 0;
    Side native_;
    Execution exact_;
    std::optional<Freedom> freedom_;
    bool hasRaces_ = false;
};

}  // namespace

std::string_view nameOf(Verdict verdict) { return rowOf(verdict).name; }
bool isFault(Verdict verdict) { return rowOf(verdict).isFault; }

std::vector<Outcome> check(const Subject& subject, const Options& options) {
    Checker checker(subject, options);
    std::vector<Outcome> outcomes;
    for (const uint32_t lanes : options.lanes)
        for (Outcome& outcome : checker.checkAt(lanes)) outcomes.push_back(std::move(outcome));
    return outcomes;
}

}  // namespace coopvk::check
