// SPDX-License-Identifier: Apache-2.0
//
// `coopvk selftest`: what a device does with coopvk's matrices and vectors, as far as one program
// alone can tell in some minutes: a sample of the cases of `coopvk compare`, each compared with the
// reference device.
#include <algorithm>
#include <chrono>
#include <format>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "advise/measure.hpp"
#include "compare/compare_commands.hpp"
#include "compare/report/report.hpp"
#include "compare/run/comparison.hpp"
#include "layer_location.hpp"
#include "system/system.hpp"
#include "system/tool_system.hpp"

namespace coopvk::tool {
namespace {

using nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

constexpr const char* kTestedExtensions[] = {
    "VK_KHR_cooperative_matrix", "VK_NV_cooperative_matrix2", "VK_NV_cooperative_vector"};
constexpr const char* kBackEnds[] = {"core", "native"};

struct SelftestOptions {
    uint32_t device = 0;
    uint32_t cases = 60;  // of an extension and back-end
    std::string json;
};

struct Part {
    std::string extension, backEnd;
    std::string why;  // it could not run; empty: it ran
    size_t cases = 0, agreed = 0;
    double seconds = 0;
    std::vector<std::string> differing;
};

// Cases at even distances, so that all kinds occur.
void runCases(compare::Comparison& comparison, const SelftestOptions& options, Part& part) {
    const auto& chosen = comparison.chosen();
    const size_t step = std::max<size_t>(1, chosen.size() / options.cases);
    for (size_t i = 0; i < chosen.size(); i += step) {
        const size_t number = chosen[i];
        const compare::Plan plan = comparison.planOf(number);
        const auto outcomes = comparison.runSides(number, plan);
        const compare::Verdict verdict = comparison.verdictOf(number, plan, outcomes);
        ++part.cases;
        if (verdict.status == compare::Status::kAgree)
            ++part.agreed;
        else
            part.differing.push_back(verdict.subject->name + ": " + compare::describe(verdict));
    }
}

Part run(const std::string& extension, const std::string& backEnd, const SelftestOptions& options) {
    Part part{.extension = extension, .backEnd = backEnd};
    const Clock::time_point start = Clock::now();
    try {
        compare::Options asked;
        asked.extension = extension;
        asked.backEnd = backEnd;
        asked.device = options.device;
        asked.sides = compare::Sides::kEmulated;
        asked.quick = asked.quiet = true;
        compare::Comparison comparison(asked);
        runCases(comparison, options, part);
    } catch (const std::exception& error) {
        part.why = error.what();
    }
    part.seconds = std::chrono::duration<double>(Clock::now() - start).count();
    return part;
}

void print(const Part& part) {
    std::cout << part.extension << ", " << part.backEnd << ": ";
    if (!part.why.empty()) {
        std::cout << "not run: " << part.why << '\n';
        return;
    }
    std::cout << std::format("{} of {} cases agree ({:.1f} s)\n", part.agreed, part.cases,
                             part.seconds);
    for (const std::string& line : part.differing) std::cout << "  " << line << '\n';
}

ordered_json jsonOf(const Part& part) {
    ordered_json json = {{"extension", part.extension}, {"backEnd", part.backEnd}};
    if (!part.why.empty()) {
        json["notRun"] = part.why;
        return json;
    }
    json["cases"] = part.cases;
    json["agreed"] = part.agreed;
    json["seconds"] = part.seconds;
    json["differing"] = part.differing;
    return json;
}

// What `coopvk info --json` says, which may need another process: a driver may end this one.
ordered_json deviceInformation() {
    const std::filesystem::path own = layer::system::programFile();
    std::filesystem::path tool = own.parent_path() / ("coopvk" + own.extension().string());
    if (!std::filesystem::exists(tool)) tool = system::findProgram("coopvk");
    const Run run = runOnce({tool.string(), "info", "--json"}, {}, {});
    const size_t start = run.output.find('{');
    if (start == std::string::npos) return nullptr;
    ordered_json json = ordered_json::parse(run.output.substr(start), nullptr, false);
    return json.is_discarded() ? ordered_json(nullptr) : json;
}

// Where a driver has no matrices, the native back-end would only be the core one again.
bool hasOwnMatrices(const ordered_json& information, uint32_t device) {
    try {
        for (const ordered_json& extension : information.at("devices").at(device).at("extensions"))
            if (extension.at("name") == "VK_KHR_cooperative_matrix")
                return extension.at("status") == "native";
    } catch (const ordered_json::exception&) {  // it is not known: try
    }
    return true;
}

Part runWhereItCan(const std::string& extension, const std::string& backEnd, bool ownMatrices,
                   const SelftestOptions& options) {
    if (backEnd == "native" && !ownMatrices)
        return {.extension = extension, .backEnd = backEnd, .why = "the driver has no matrices"};
    return run(extension, backEnd, options);
}

int runSelftest(const SelftestOptions& options) {
    if (const auto folder = findManifestFolder())
        for (const auto& [name, value] : searchPath(*folder).environment)
            layer::system::setVariable(name, value);
    ordered_json json = {{"version", COOPVK_VERSION}, {"device", options.device}};
    json["information"] = deviceInformation();
    json["parts"] = ordered_json::array();
    const bool ownMatrices = hasOwnMatrices(json["information"], options.device);
    size_t cases = 0, agreed = 0;
    for (const char* extension : kTestedExtensions) {
        for (const char* backEnd : kBackEnds) {
            const Part part = runWhereItCan(extension, backEnd, ownMatrices, options);
            print(part);
            json["parts"].push_back(jsonOf(part));
            cases += part.cases;
            agreed += part.agreed;
        }
    }
    std::cout << agreed << " of " << cases << " cases agree\n";
    if (!options.json.empty()) {
        std::ofstream file(options.json);
        file << json.dump(1, ' ', false, ordered_json::error_handler_t::replace) << '\n';
        if (!file.flush()) {
            std::cerr << "coopvk: cannot write " << options.json << '\n';
            return kCouldNotRun;
        }
    }
    if (cases == 0) return kCouldNotRun;
    return agreed == cases ? kAgree : kDiffer;
}

}  // namespace

void addSelftestCommand(CLI::App& app, int& status) {
    CLI::App* command = app.add_subcommand(
        "selftest",
        "Compare a sample of coopvk's matrices and vectors on a device with a reference");
    auto options = std::make_shared<SelftestOptions>();
    command->add_option("--device", options->device,
                        "The number of the device, in the order in which the loader lists devices");
    command
        ->add_option("--cases", options->cases,
                     "About how many cases of each extension and back-end")
        ->default_str("60")
        ->check(CLI::Range(1u, 100000u));
    command->add_option("--json", options->json, "Write everything to this file");
    command->callback([options, &status] { status = runSelftest(*options); });
}

}  // namespace coopvk::tool
