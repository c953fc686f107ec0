// SPDX-License-Identifier: Apache-2.0
//
// `coopvk tune`: measures which of the rewriter's choices are the fastest on a device, and writes
// them to a profile, which the layer uses for this device and this version of its driver.
#include <algorithm>
#include <format>
#include <iostream>

#include "compare/compare_commands.hpp"
#include "compare/tune/measure.hpp"
#include "compare/tune/session.hpp"
#include "coopvk/rewrite.hpp"
#include "layer_location.hpp"
#include "system/text.hpp"
#include "system/tool_system.hpp"

namespace coopvk::tool {
namespace {

using tune::Choice;
using tune::Found;
using tune::Gain;
using tune::Trial;
using tune::TuneOptions;
using tune::TuneSession;

std::vector<Choice> choicesOf(const std::vector<std::string>& only) {
    std::vector<Choice> choices;
    for (const rewrite::TuningInfo& info : rewrite::tuningTable()) {
        const bool isWanted = only.empty() || std::ranges::find(only, info.name) != only.end();
        if (!isWanted || info.values.empty()) continue;
        Choice& choice = choices.emplace_back(std::string(info.name));
        for (std::string_view rest = info.values; !rest.empty();)
            choice.values.emplace_back(layer::takeUntil(',', rest));
    }
    return choices;
}

void printTable() {
    for (const rewrite::TuningInfo& info : rewrite::tuningTable())
        std::cout << std::format("{:<14}{:<18}{}\n", info.name,
                                 info.values.empty() ? "(not tried)" : info.values, info.changes);
}

// A line for each trial, and on a terminal a bar below them.
class Progress {
 public:
    Progress(size_t values, double seconds)
        : values_(values), seconds_(seconds), isTerminal_(system::writesTerminal()) {}

    void tell(const Trial& trial, bool isDone, double now) {
        if (!isDone) return draw(trial.candidate, now);
        clear();
        const auto& [gain, times, why] = trial.judgement;
        const bool hasTimes = gain != Gain::kFailed && gain != Gain::kWrong;
        std::cout << trial.candidate << (trial.repeat == 0 ? "" : ", again") << ": "
                  << (gain == Gain::kWrong ? "wrong results" : nameOf(gain));
        if (hasTimes) std::cout << std::format(", {:.3f} times as fast", times);
        std::cout << (why.empty() ? "" : " (" + why + ")") << std::endl;
    }
    void next() { ++done_; }
    void clear() const {
        if (isTerminal_) std::cout << "\r\x1b[K" << std::flush;
    }

 private:
    void draw(const std::string& candidate, double now) const {
        if (!isTerminal_) return;
        constexpr size_t kWidth = 24;
        const size_t part = kWidth * std::min(done_, values_) / std::max<size_t>(values_, 1);
        std::cout << std::format("\r\x1b[K[{}{}] {} of {}, {:.0f} of at most {:.0f} s: {}",
                                 std::string(part, '#'), std::string(kWidth - part, '.'), done_,
                                 values_, now, seconds_, candidate)
                  << std::flush;
    }

    const size_t values_;
    const double seconds_;
    const bool isTerminal_;
    size_t done_ = 0;
};

void print(const Found& found, const TuneSession& session) {
    if (found.tuning.empty()) {
        std::cout << session.deviceName()
                  << ": the usual choices stay: nothing was faster by more than chance explains\n";
    } else {
        std::cout << session.deviceName() << ": " << found.tuning << '\n';
        for (const tune::WorkFigures& work : found.final.works)
            std::cout << std::format("  {}: {:.2f} times as fast\n", work.name,
                                     speedup(work.candidate, work.base, {" s", false}));
    }
    if (!found.isWhole)
        std::cout << "the time was up before all was tried: --seconds allows more\n";
    std::cout << "profile: " << session.path().string() << '\n';
}

int tuneDevice(const TuneOptions& options) {
    const std::vector<Choice> choices = choicesOf(options.only);
    size_t values = 0;
    for (const Choice& choice : choices) values += choice.values.size();
    TuneSession session(options);
    Progress progress(values, options.seconds);
    bool areRight = true;
    tune::Search how{choices, {}, {}, {}};
    how.areAlike = [&](const std::string& base, const std::string& candidate) {
        progress.next();
        return session.areAlike(base, candidate);
    };
    how.measure = [&](const Trial& trial) { return session.measure(trial); };
    how.tell = [&](const Trial& trial, bool isDone) {
        progress.tell(trial, isDone, session.seconds());
        if (!isDone) return;
        session.add(trial);
        areRight &= trial.judgement.gain != Gain::kWrong;
    };
    const Found found = tune::search(how);
    progress.clear();
    if (!session.writeProfile(found)) {
        std::cerr << "coopvk: cannot write " << session.path().string() << '\n';
        return kCouldNotRun;
    }
    print(found, session);
    if (!areRight) std::cout << "wrong results are a fault: please report them\n";
    return areRight ? kAgree : kDiffer;
}

int runTune(const TuneOptions& options) {
    if (options.list) {
        printTable();
        return kAgree;
    }
    addLayerToSearchPath();
    try {
        if (options.measure.empty()) return tuneDevice(options);
        const auto json = tune::measureTunings(tune::requestFrom(options.measure));
        std::cout << tune::kMeasuredMark << json.dump() << std::endl;
        return kAgree;
    } catch (const std::exception& error) {
        std::cerr << "coopvk: " << error.what() << '\n';
        return kCouldNotRun;
    }
}

}  // namespace

void addTuneCommand(CLI::App& app, int& status) {
    CLI::App* command = app.add_subcommand(
        "tune",
        "Measure which of the rewriter's choices are the fastest on a device, for the layer");
    auto options = std::make_shared<TuneOptions>();
    command->add_option("--device", options->device,
                        "The number of the device, in the order in which the loader lists devices");
    command
        ->add_option("--seconds", options->seconds,
                     "The most time; then it takes what it has found until then")
        ->default_str("600")
        ->check(CLI::Range(0.0, 1e9));
    command->add_flag("--resume", options->resume,
                      "Go on where an earlier run of the command was ended");
    std::vector<std::string> names;
    for (const Choice& choice : choicesOf({})) names.push_back(choice.name);
    command->add_option("--only", options->only, "Try only these choices, separated by commas")
        ->delimiter(',')
        ->check(CLI::IsMember(names))
        ->option_text("NAMES");
    command->add_flag("--list", options->list,
                      "List the choices, the values that are tried, and "
                      "what each changes");
    command->add_option("--measure", options->measure)->group("");  // in a process of its own
    command->callback([options, &status] { status = runTune(*options); });
}

}  // namespace coopvk::tool
