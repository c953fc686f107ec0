// SPDX-License-Identifier: Apache-2.0
//
// `coopvk-compare`: compares a driver's own matrices and vectors with coopvk's, on the same device.
#include <cstdlib>
#include <iostream>
#include <memory>

#include "compare/cases/grids.hpp"
#include "compare/compare_commands.hpp"
#include "compare/report/report.hpp"
#include "compare/repro/repro.hpp"
#include "compare/run/comparison.hpp"
#include "layer_location.hpp"
#include "system/system.hpp"
#include "whole_file.hpp"

namespace coopvk::tool {
namespace {

struct CompareOptions {
    compare::Options comparison;
    std::string json, html, markdown, saveFile, saveSide, reproFolder;
    std::optional<size_t> repro;
    bool list = false;
};

void printGrid(const compare::Comparison& comparison) {
    for (const size_t number : comparison.chosen())
        std::cout << number << " " << comparison.grid()[number].name << "\n";
    std::cerr << comparison.chosen().size() << " of " << comparison.grid().size() << " cases\n";
}

compare::SideKind savedSide(const CompareOptions& options, const compare::Comparison& comparison) {
    const bool native =
        options.saveSide.empty() ? comparison.native().present : options.saveSide == "native";
    return native ? compare::SideKind::kNative : compare::SideKind::kEmulated;
}

int writeRepro(const CompareOptions& options, compare::Comparison& comparison) {
    const size_t number = *options.repro;
    if (number >= comparison.grid().size())
        throw std::runtime_error("there is no case " + std::to_string(number));
    const std::string folder = options.reproFolder.empty()
                                   ? "coopvk-repro-" + std::to_string(number)
                                   : options.reproFolder;
    const compare::Plan plan = comparison.planOf(number);
    const compare::Comparison::Outcomes outcomes = comparison.runSides(number, plan);
    const compare::Verdict verdict = comparison.verdictOf(number, plan, outcomes);
    compare::writeRepro(folder, comparison, number, plan, outcomes, verdict);
    std::cout << verdict.subject->name << ": " << compare::nameOf(verdict.status) << ", "
              << compare::describe(verdict) << "\nwritten to " << folder << "\n";
    return verdict.status == compare::Status::kAgree ? kAgree : kDiffer;
}

int compareAll(const CompareOptions& options) {
    addLayerToSearchPath();
    if (const std::string file =
            firstUnwritable({options.json, options.html, options.markdown, options.saveFile});
        !file.empty())
        throw std::runtime_error("cannot write " + file);
    compare::Comparison comparison(options.comparison);
    if (options.list) {
        printGrid(comparison);
        return kAgree;
    }
    if (options.repro) return writeRepro(options, comparison);
    if (comparison.chosen().empty()) {
        std::cerr << "coopvk compare: there is no case to run\n";
        return kCouldNotRun;
    }
    compare::SavedResults saved;
    const compare::SideKind side = savedSide(options, comparison);
    if (!options.saveFile.empty()) comparison.keepResults(side, saved);
    const std::vector<compare::Verdict> verdicts = comparison.runAll();
    compare::printText(std::cout, comparison, verdicts);
    if (!options.json.empty()) compare::writeJson(options.json, comparison, verdicts);
    if (!options.html.empty()) compare::writeHtml(options.html, comparison, verdicts);
    if (!options.markdown.empty()) compare::writeMarkdown(options.markdown, comparison, verdicts);
    if (!options.saveFile.empty()) {
        saved.extension = comparison.options().extension;
        saved.side = compare::nameOf(side);
        saved.device =
            (side == compare::SideKind::kNative ? comparison.native() : comparison.emulated()).name;
        saved.seed = comparison.options().seed;
        compare::save(saved, options.saveFile);
    }
    const compare::Table table = compare::tabulate(verdicts);
    return table.all.agreed == table.all.cases ? kAgree : kDiffer;
}

int runCompare(const CompareOptions& options) {
    try {
        return compareAll(options);
    } catch (const std::exception& error) {
        std::cerr << "coopvk compare: " << error.what() << '\n';
        return kCouldNotRun;
    }
}

compare::Sides sidesOf(std::string_view name) {
    if (name == "native") return compare::Sides::kNative;
    if (name == "reference") return compare::Sides::kReference;
    return name == "emulated" ? compare::Sides::kEmulated : compare::Sides::kBoth;
}

}  // namespace

void addCompareOptions(CLI::App& app, int& status) {
    auto options = std::make_shared<CompareOptions>();
    compare::Options& c = options->comparison;
    app.add_option("--extension", c.extension, "The extension to compare")
        ->check(CLI::IsMember(compare::comparedExtensions()));
    app.add_option("--device", c.device,
                   "The number of the device, in the order in which the loader lists devices");
    app.add_option_function<std::string>(
           "--sides",
           [options](const std::string& name) { options->comparison.sides = sidesOf(name); },
           "Which results to compare with the reference: both, native or emulated; reference: the "
           "reference device's own, without a Vulkan device")
        ->check(CLI::IsMember({"both", "native", "emulated", "reference"}));
    app.add_option("--back-end", c.backEnd, "What coopvk turns matrices into")
        ->check(CLI::IsMember({"auto", "core", "native"}));
    app.add_option("--seed", c.seed, "The seed of the random inputs");
    app.add_option("--filter", c.filter,
                   "Run only cases whose name matches this regular expression");
    app.add_option("--case", c.onlyCase, "Run only the case with this number");
    app.add_flag("--quick", c.quick, "Run a sample of all cases");
    app.add_flag("--all-rows", c.allRows, "Include property rows that only one side lists");
    app.add_option("--max-ulps", c.tolerance.maxUlps,
                   "Floats that are further apart differ, whatever the specification allows");
    app.add_option("--jobs", c.jobs,
                   "Threads that create pipelines (default: one for each processor)");
    app.add_flag("--quiet", c.quiet, "Show no progress on the standard error stream");
    app.add_flag("--list", options->list, "Print the numbers and names of the cases, and run none");
    app.add_option("--json", options->json, "Write everything to this file");
    app.add_option("--html", options->html, "Write a report with maps of the elements that differ");
    app.add_option("--markdown", options->markdown, "Write a table to this file");
    app.add_option("--save", options->saveFile, "Save the results of one side in this file");
    app.add_option("--save-side", options->saveSide,
                   "The side to save (default: native if it is available)")
        ->check(CLI::IsMember({"native", "emulated"}));
    app.add_option("--against", c.against,
                   "Use the results that --save wrote, in place of the native side");
    app.add_option("--repro", options->repro,
                   "Write the case with this number as a separate program: data, results, a C "
                   "program, and the shader in SPIR-V");
    app.add_option("--repro-dir", options->reproFolder,
                   "The folder for that program (default: coopvk-repro-N)");
    app.footer("Exit status: 0 all cases agree, 1 some do not, 2 nothing could be compared.");
    app.callback([&app, options, &status] {
        if (app.get_subcommands().empty()) status = runCompare(*options);
    });
}

}  // namespace coopvk::tool
