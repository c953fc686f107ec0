// SPDX-License-Identifier: Apache-2.0
//
// `coopvk advise`: runs a program without coopvk and with it, and says whether it is worth it.
#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <format>
#include <iostream>
#include <ranges>
#include <regex>

#include "advise/advice.hpp"
#include "advise/measure.hpp"
#include "commands.hpp"
#include "parse.hpp"
#include "report/run_report.hpp"
#include "run/explanation.hpp"
#include "setting_options.hpp"
#include "settings/asked_for.hpp"
#include "temporary_file.hpp"

namespace coopvk::tool {
namespace {

constexpr const char* kDisableVariable = "COOPVK_DISABLE";
constexpr size_t kShownRefusals = 3;
constexpr size_t kShownLines = 10;  // of a failed program's output

struct AdviseOptions {
    SettingTexts settings;
    int runs = 3;
    bool noWarmUp = false;
    std::string metric;  // a regular expression
    bool higher = false, lower = false;
    std::vector<std::string> command;
};

// Of the runs so far.
struct Runs {
    Side with, without;
    std::string outputOfFailure;  // of the first one
    std::string report;           // of the layer, from the first run with it
    std::string problem;          // why no advice can be given
    int status = 0;               // to exit with then
};

int adviseFailed(const std::string& what, int status = 1) {
    std::cerr << "coopvk: " << what << '\n';
    return status;
}

// Records how a run ended. False if there is nothing to compare then.
bool take(const Run& run, const AdviseOptions& options, Side& side, Runs& runs) {
    if (!run.problem.empty()) {
        runs.problem = run.problem;
        runs.status = 1;
        return false;
    }
    if (run.error != 0) {
        runs.problem = "cannot start " + options.command.front() + ": " + std::strerror(run.error);
        runs.status = run.error == ENOENT ? 127 : 126;  // as a shell would
        return false;
    }
    if (!run.failure.empty()) {
        if (runs.outputOfFailure.empty()) runs.outputOfFailure = run.output;
        if (side.failure.empty()) side.failure = run.failure;
        return true;
    }
    if (options.metric.empty()) {
        side.figures.push_back(run.seconds);
        return true;
    }
    const auto figure = findFigure(run.output, options.metric);
    runs.status = 1;
    if (!figure) {
        runs.problem =
            "no figure in the program's output: nothing matches '" + options.metric + "'";
    } else if (*figure <= 0) {
        runs.problem =
            std::format("the program's figure is {:g}: only figures above 0 are compared", *figure);
    } else {
        side.figures.push_back(*figure);
    }
    return runs.problem.empty();
}

Run runSide(const AdviseOptions& options, const Environment& environment, bool with, Runs& runs) {
    if (!with) return runOnce(options.command, {{kDisableVariable, "1"}}, {layer::kEnableVariable});
    const TemporaryFile report;
    Environment on = environment;
    on.emplace_back(layer::kRunReportVariable, report.path());
    Run run = runOnce(options.command, on, {kDisableVariable});
    if (runs.report.empty()) runs.report = report.text();
    return run;
}

// The first run of a side fills caches: of files, of the driver, of the program.
bool warmUp(const AdviseOptions& options, const Environment& environment, Runs& runs) {
    for (const bool with : {false, true}) {
        Side& side = with ? runs.with : runs.without;
        if (!take(runSide(options, environment, with, runs), options, side, runs)) return false;
        side.figures.clear();
    }
    return true;
}

Runs measure(const AdviseOptions& options, const Environment& environment) {
    Runs runs;
    if (!options.noWarmUp && !warmUp(options, environment, runs)) return runs;
    for (int i = 0; i < 2 * options.runs; ++i) {
        // without, with, with, without, without, with, ...: slow changes of the machine affect both
        // equally.
        const bool with = i % 4 == 1 || i % 4 == 2;
        Side& side = with ? runs.with : runs.without;
        if (!side.failure.empty()) continue;
        if (!take(runSide(options, environment, with, runs), options, side, runs)) break;
    }
    return runs;
}

// Events of one kind in the report, each once: "EXTENSIONS on DEVICE", or "MESSAGE on DEVICE".
std::vector<std::string> eventsOf(std::string_view report, std::string_view event) {
    std::vector<std::string> found;
    while (!report.empty()) {
        std::string_view line = report.substr(0, report.find('\n'));
        report.remove_prefix(std::min(line.size() + 1, report.size()));
        // EVENT PROCESS PROGRAM DEVICE ...
        std::array<std::string, 5> fields;
        for (std::string& field : fields) {
            field = line.substr(0, line.find('\t'));
            line.remove_prefix(std::min(field.size() + 1, line.size()));
        }
        if (fields[0] != event || fields[4].empty()) continue;
        std::string text = fields[4] + " on " + fields[3];
        if (std::ranges::find(found, text) == found.end()) found.push_back(std::move(text));
    }
    return found;
}

std::string sideText(const Side& side, const Metric& metric) {
    if (!side.failure.empty()) return "failed with " + side.failure;
    // Seconds to the millisecond, other figures with six digits.
    const auto text = [&](double figure) {
        return metric.unit.empty() ? std::format("{:.6g}", figure) : std::format("{:.3f}", figure);
    };
    const auto [low, high] = std::ranges::minmax(side.figures);
    std::string range;
    if (side.figures.size() > 1) range = std::format("   ({} to {})", text(low), text(high));
    return text(median(side.figures)) + std::string(metric.unit) + range;
}

void printLine(std::string_view what, const std::string& text) {
    std::cout << std::format("{:<16}{}\n", what, text);
}

void printOutput(const std::string& output) {
    size_t start = output.size();
    for (size_t i = 0; i <= kShownLines && start != std::string::npos && start > 0; ++i) {
        start = output.rfind('\n', start - 1);
    }
    std::string_view text(output);
    if (start != std::string::npos && start > 0) text.remove_prefix(start + 1);
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        std::cout << "    " << line << '\n';
    }
}

void printAdvice(const AdviseOptions& options, const Runs& runs, const Metric& metric) {
    printLine("without coopvk", sideText(runs.without, metric));
    printLine("with coopvk", sideText(runs.with, metric));
    printOutput(runs.outputOfFailure);
    const bool bothRan = runs.with.failure.empty() && runs.without.failure.empty();
    if (bothRan) {
        const double part = noise(runs.with, runs.without) / median(runs.without.figures);
        printLine("speed", std::format("{:.2f} times with coopvk; chance explains {:.0f} %",
                                       speedup(runs.with, runs.without, metric), 100 * part));
    }
    std::string rewritten;
    for (const std::string& text : eventsOf(runs.report, layer::run_event::kEmulated)) {
        rewritten += (rewritten.empty() ? "" : "; ") + text;
    }
    printLine("rewritten", rewritten.empty() ? "nothing" : rewritten);
    const auto refused = eventsOf(runs.report, layer::run_event::kRefused);
    for (const std::string& text : refused | std::views::take(kShownRefusals)) {
        printLine("refused", text);
    }
    if (rewritten.empty()) {
        const std::string name = std::filesystem::path(options.command.front()).filename().string();
        for (const std::string& line : explain(runs.report, name, false)) {
            std::cout << "    " << line << '\n';
        }
    }
    printLine("advice", adviceOf(runs.with, runs.without, metric, rewritten));
}

int runAdvise(const AdviseOptions& options) {
    if (options.command.empty()) {
        return adviseFailed("no program given (coopvk advise [options] -- APP [arguments])");
    }
    try {
        findFigure("", options.metric);
    } catch (const std::regex_error& error) {
        return adviseFailed("--metric: '" + options.metric + "': " + error.what());
    }
    SettingTexts settings = options.settings;
    // All runs are to have the same extensions.
    if (std::string& remember = settings[indexOf("remember")]; remember.empty()) remember = "off";
    const auto environment = layerEnvironment(settings);
    if (!environment) return adviseFailed(environment.error().message);
    const bool higher = options.higher || (!options.metric.empty() && !options.lower);
    const Metric metric = {options.metric.empty() ? " s" : "", higher};
    const Runs runs = measure(options, *environment);
    if (!runs.problem.empty()) return adviseFailed(runs.problem, runs.status);
    printAdvice(options, runs, metric);
    return !runs.with.failure.empty() && !runs.without.failure.empty() ? 1 : 0;
}

}  // namespace

void addAdviseCommand(CLI::App& app, int& status) {
    CLI::App* command = app.add_subcommand(
        "advise", "Run a program without coopvk and with it, and say whether coopvk is worth it");
    auto options = std::make_shared<AdviseOptions>();
    command
        ->add_option("--runs", options->runs,
                     "How often to run the program without coopvk and with it")
        ->check(CLI::Range(1u, 100000u));
    command->add_flag("--no-warm-up", options->noWarmUp,
                      "Count the first run of each kind, too, which fills caches");
    auto* metric = command->add_option(
        "--metric", options->metric,
        "Compare a figure that the program prints instead of its time: the first group of the last "
        "match of this regular expression in its output");
    auto* higher = command->add_flag("--higher-is-better", options->higher,
                                     "The higher of two such figures is better (the default)");
    auto* lower = command->add_flag("--lower-is-better", options->lower,
                                    "The lower of two such figures is better");
    higher->needs(metric)->excludes(lower);
    lower->needs(metric);
    addSettingOptions(*command, options->settings);
    command->add_option("app", options->command, "The program and its arguments, after --");
    command->positionals_at_end();
    startsProgram(*command);
    command->callback([options, &status] { status = runAdvise(*options); });
}

}  // namespace coopvk::tool
