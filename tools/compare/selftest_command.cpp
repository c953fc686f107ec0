// SPDX-License-Identifier: Apache-2.0
//
// `coopvk selftest`: what a device does with all of coopvk's extensions, as far as one program
// alone can tell in some minutes: a sample of the cases of `coopvk compare`, each compared with the
// reference device; a shader of each other extension; which invocation holds which element of the
// driver's own matrices; and how fast matrices and vectors are. Each group runs in a process of its
// own, since a driver may end it, or never return.
#include <algorithm>
#include <format>
#include <fstream>
#include <iostream>
#include <map>

#include "advise/measure.hpp"
#include "compare/compare_commands.hpp"
#include "compare/selftest/groups.hpp"
#include "coopvk/rewrite.hpp"
#include "json_text.hpp"
#include "layer_location.hpp"
#include "system/system.hpp"
#include "system/text.hpp"
#include "system/tool_system.hpp"

namespace coopvk::tool {
namespace {

using compare::Group;
using compare::kLayouts;
using compare::kPartMark;
using compare::kSpeed;
using compare::Part;
using nlohmann::ordered_json;

struct SelftestOptions {
    uint32_t device = 0;
    uint32_t cases = 60;  // of an extension and back-end
    std::string json;
    std::string group;    // what this process runs; empty: it starts all groups
    double limit = 1200;  // seconds of a group
};

std::string lastLine(std::string_view text) {
    std::string last;
    while (!text.empty())
        if (const std::string_view line = layer::takeUntil('\n', text); !line.empty()) last = line;
    return last;
}

// What the process of a group printed; if it ended before that, this is a case that differs.
Part partFrom(const Group& group, const Run& run) {
    Part part{.group = group, .seconds = run.seconds};
    const size_t start = run.output.rfind(kPartMark);
    std::string_view text = run.output;
    text.remove_prefix(start == std::string::npos ? text.size() : start + kPartMark.size());
    const auto json = ordered_json::parse(layer::takeUntil('\n', text), nullptr, false);
    if (run.error != 0 || !run.problem.empty()) {
        part.why = run.problem.empty() ? "its process could not be started" : run.problem;
    } else if (json.is_discarded()) {
        part.cases = 1;
        part.differing.push_back("its process ended early (" +
                                 (run.failure.empty() ? "without a result" : run.failure) + ")" +
                                 (run.output.empty() ? "" : ": " + lastLine(run.output)));
    } else {
        part.why = json.value("notRun", "");
        part.cases = json.value("cases", size_t{0});
        part.agreed = json.value("agreed", size_t{0});
        part.differing = json.value("differing", std::vector<std::string>());
        part.layouts = json.value("layouts", ordered_json());
        const ordered_json speeds = json.value("speeds", ordered_json::object());
        for (const auto& [name, speed] : speeds.items())
            if (speed.is_number()) part.speeds.emplace_back(name, speed.get<double>());
    }
    return part;
}

Part startGroup(const Group& group, const SelftestOptions& options) {
    return partFrom(group, runOnce({layer::system::programFile().string(), "selftest", "--group",
                                    group.name(), "--device", std::to_string(options.device),
                                    "--cases", std::to_string(options.cases)},
                                   {}, {}, options.limit));
}

// "nvidia", or what its bits are where coopvk knows no such layout.
std::string layoutText(const ordered_json& map) {
    if (map.contains("notRead")) return "not read: " + map.value("notRead", "");
    const auto names = map.value("layouts", std::vector<std::string>());
    if (names.empty()) return "unknown: " + map.value("bits", "without such bits (--json has it)");
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
    return text;
}

void print(const Part& part) {
    const bool hasBackEnd = part.group.extension != kSpeed && part.group.extension != kLayouts;
    std::cout << part.group.extension;
    if (hasBackEnd) std::cout << ", " << part.group.backEnd;
    std::cout << ": ";
    if (!part.why.empty()) {
        std::cout << "not run: " << part.why << std::endl;
        return;
    }
    for (const auto& [name, speed] : part.speeds)
        std::cout << std::format("{} {:.4g}, ", name, speed);
    if (!part.layouts.is_null())
        std::cout << std::format("of {} kinds of the driver's matrices\n", part.layouts.size());
    else if (!part.speeds.empty())
        std::cout << "in GFLOP/s\n";
    else
        std::cout << std::format("{} of {} cases agree ({:.1f} s)\n", part.agreed, part.cases,
                                 part.seconds);
    for (const ordered_json& map : part.layouts)
        std::cout << "  " << map.value("matrix", "") << ": " << layoutText(map) << '\n';
    for (const std::string& line : part.differing) std::cout << "  " << line << '\n';
    std::cout.flush();
}

// What `coopvk info --json` says.
ordered_json deviceInformation(double limit) {
    const std::filesystem::path own = layer::system::programFile();
    std::filesystem::path tool = own.parent_path() / ("coopvk" + own.extension().string());
    std::error_code error;
    if (!std::filesystem::exists(tool, error)) tool = system::findProgram("coopvk");
    const Run run = runOnce({tool.string(), "info", "--json"}, {}, {}, limit);
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

std::vector<Group> allGroups() {
    std::vector<Group> groups;
    for (const rewrite::ExtensionInfo& info : rewrite::extensionTable()) {
        if (info.isByNameOnly) continue;  // coopvk lists it, and computes nothing
        const std::string name(info.vulkanName);
        groups.push_back({name, "core"});
        // One shader is the same in both unless it has matrices. The shapes of NV's matrices are
        // coopvk's: the native back-end refuses those that no shape of the driver divides.
        const bool hasOwnShapes = info.extension == rewrite::Extension::kNvCooperativeMatrix;
        if (compare::hasCases(name) && !hasOwnShapes) groups.push_back({name, "native"});
    }
    groups.push_back({std::string(kLayouts), "native"});
    groups.push_back({std::string(kSpeed), "auto"});
    return groups;
}

// What all matrices have in common: "layout nvidia", or how many have another one.
std::string layoutsText(const ordered_json& maps) {
    std::map<std::string, size_t> counts;
    for (const ordered_json& map : maps)
        for (const std::string& name : map.value("layouts", std::vector<std::string>()))
            ++counts[name];
    const auto most =
        std::ranges::max_element(counts, {}, [](const auto& count) { return count.second; });
    if (most == counts.end()) return "layout unknown";
    if (most->second == maps.size()) return "layout " + most->first;
    return std::format("layout {} of {} of {} matrices", most->first, most->second, maps.size());
}

struct Totals {
    size_t cases = 0, agreed = 0, extensions = 0;
    std::string speeds, layouts;
};

Totals totalsOf(const std::vector<Part>& parts) {
    Totals totals;
    for (const Part& part : parts) {
        totals.cases += part.cases;
        totals.agreed += part.agreed;
        if (part.group.backEnd == "core" && part.cases > 0) ++totals.extensions;
        if (!part.layouts.is_null()) totals.layouts = layoutsText(part.layouts);
        for (const auto& [name, speed] : part.speeds)
            totals.speeds +=
                std::format("{}{} {:.4g}", totals.speeds.empty() ? "" : ", ", name, speed);
    }
    return totals;
}

std::string deviceText(const ordered_json& information, uint32_t device) {
    try {
        const ordered_json& entry = information.at("devices").at(device);
        return entry.at("name").get<std::string>() + ", " + entry.at("driver").get<std::string>();
    } catch (const ordered_json::exception&) {
        return "device " + std::to_string(device);
    }
}

// One line for people to send.
std::string summary(const ordered_json& information, uint32_t device, const Totals& totals) {
    return std::format(
        "coopvk {} on {}: {} of {} cases agree, in {} of {} extensions; {}{}", rewrite::version(),
        deviceText(information, device), totals.agreed, totals.cases, totals.extensions,
        std::ranges::count(rewrite::extensionTable(), false, &rewrite::ExtensionInfo::isByNameOnly),
        totals.layouts.empty() ? "" : totals.layouts + "; ",
        totals.speeds.empty() ? "no speeds" : totals.speeds + " GFLOP/s");
}

bool writeJson(const std::string& path, const ordered_json& json) {
    std::ofstream file(path);
    file << jsonText(json, 1);
    return static_cast<bool>(file.flush());
}

int runSelftest(const SelftestOptions& options) {
    addLayerToSearchPath();
    if (!options.group.empty()) {
        compare::runGroup(options.group, options.device, options.cases);
        return kAgree;
    }
    ordered_json json = {{"version", COOPVK_VERSION}, {"device", options.device}};
    json["information"] = deviceInformation(options.limit);
    json["parts"] = ordered_json::array();
    const bool ownMatrices = hasOwnMatrices(json["information"], options.device);
    std::vector<Part> parts;
    for (const Group& group : allGroups()) {
        const bool runs = group.backEnd != "native" || ownMatrices;
        parts.push_back(runs ? startGroup(group, options)
                             : Part{.group = group, .why = "the driver has no matrices"});
        print(parts.back());
        json["parts"].push_back(compare::jsonOf(parts.back()));
    }
    const Totals totals = totalsOf(parts);
    json["summary"] = summary(json["information"], options.device, totals);
    std::cout << json["summary"].get<std::string>() << '\n';
    if (!options.json.empty() && !writeJson(options.json, json)) {
        std::cerr << "coopvk: cannot write " << options.json << '\n';
        return kCouldNotRun;
    }
    if (totals.cases == 0) return kCouldNotRun;
    return totals.agreed == totals.cases ? kAgree : kDiffer;
}

}  // namespace

void addSelftestCommand(CLI::App& app, int& status) {
    CLI::App* command = app.add_subcommand(
        "selftest",
        "Compare a sample of what coopvk does on a device with a reference, and measure its speed");
    auto options = std::make_shared<SelftestOptions>();
    command->add_option("--device", options->device,
                        "The number of the device, in the order in which the loader lists devices");
    command
        ->add_option("--cases", options->cases,
                     "About how many cases of each extension and back-end")
        ->default_str("60")
        ->check(CLI::Range(1u, 100000u));
    command
        ->add_option("--limit", options->limit,
                     "End a group that takes more seconds, as where a driver hangs; 0: never")
        ->default_str("1200")
        ->check(CLI::Range(0.0, 1e9));
    command->add_option("--json", options->json, "Write everything to this file");
    command
        ->add_option(
            "--group", options->group,
            "Run only this in this process, as the command does with each: an extension and "
            "a back-end; or layouts,native or speed,auto")
        ->option_text("NAME,BACK-END");
    command->callback([options, &status] { status = runSelftest(*options); });
}

}  // namespace coopvk::tool
