// SPDX-License-Identifier: Apache-2.0
//
// `coopvk selftest`: what a device does with all of coopvk's extensions, as far as one program
// alone can tell in some minutes: a sample of the cases of `coopvk compare`, each compared with the
// reference device; a shader of each other extension; which invocation holds which element of the
// driver's own matrices; and how fast matrices and vectors are. Each group runs in a process of its
// own, since a driver may end it, or never return.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <format>
#include <fstream>
#include <iostream>
#include <map>
#include <optional>

#include "advise/measure.hpp"
#include "compare/compare_commands.hpp"
#include "compare/selftest/groups.hpp"
#include "coopvk/rewrite.hpp"
#include "device/device_facts.hpp"
#include "device/tuning.hpp"
#include "json_text.hpp"
#include "layer_location.hpp"
#include "report/archive.hpp"
#include "system/read_text.hpp"
#include "system/system.hpp"
#include "system/text.hpp"
#include "system/tool_system.hpp"
#include "whole_file.hpp"

namespace coopvk::tool {
namespace {

using compare::Group;
using compare::kLayouts;
using compare::kPartMark;
using compare::kSpeed;
using compare::Part;
using nlohmann::ordered_json;

constexpr std::string_view kTimeIsUp = "the time was up (--seconds allows more)";

struct SelftestOptions {
    uint32_t device = 0;
    uint32_t cases = 60;  // of an extension and back-end
    std::string json;
    std::string group;     // what this process runs; empty: it starts all groups
    double limit = 1200;   // seconds of a group
    double seconds = 300;  // of all groups; of one, after which it begins no further case
    bool resume = false;
    std::string archive;
};

// What the process of a group printed; if it ended before that, this is a case that differs.
Part partFrom(const Group& group, const Run& run) {
    Part part{.group = group, .seconds = run.seconds};
    const auto json = markedObject(run, kPartMark);
    if (run.error != 0 || !run.problem.empty()) {
        part.why = withoutResult(run);
    } else if (!json) {
        part.cases = 1;
        part.differing.push_back("its process ended early (" + withoutResult(run) + ")");
    } else {
        part = compare::partFrom(*json);
        part.group = group;
        part.seconds = run.seconds;
    }
    return part;
}

// `share`: seconds in which it should be done. One that takes many times as long hangs.
Part startGroup(const Group& group, const SelftestOptions& options, double share) {
    constexpr double kLeast = 120;
    const double patience = std::max(kLeast, 4 * share);
    const double limit = options.limit == 0 ? 0 : std::min(options.limit, patience);
    return partFrom(
        group, runOnce({layer::system::programFile().string(), "selftest", "--group", group.name(),
                        "--device", std::to_string(options.device), "--cases",
                        std::to_string(options.cases), "--seconds", std::format("{:.3f}", share)},
                       {}, {}, limit));
}

// "nvidia", or what its bits are where coopvk knows no such layout.
std::string layoutText(const ordered_json& map) {
    if (map.contains("notRead")) return "not read: " + map.value("notRead", "");
    const auto names = map.value("layouts", std::vector<std::string>());
    if (names.empty())
        return "none known: " + map.value("bits", "without such bits (--json has it)");
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
        std::cout << std::format(
            "{} kinds of the driver's own matrices: the GPUs of which coopvk knows the same "
            "layout; or what each bit of the lane's and of the element's number adds to "
            "(row,column)\n",
            part.layouts.size());
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

// What `coopvk` says with these arguments.
std::string coopvkSays(std::vector<std::string> arguments, double limit) {
    const std::filesystem::path own = layer::system::programFile();
    std::filesystem::path tool = own.parent_path() / ("coopvk" + own.extension().string());
    std::error_code error;
    if (!std::filesystem::exists(tool, error)) tool = system::findProgram("coopvk");
    arguments.insert(arguments.begin(), tool.string());
    return runOnce(arguments, {}, {}, limit).output;
}

// If there is no device, what `coopvk` says of that is "problem".
ordered_json deviceInformation(double limit) {
    const std::string text = coopvkSays({"info", "--json"}, limit);
    const size_t start = text.find('{');
    if (start == std::string::npos && text.starts_with("coopvk: "))
        return {{"problem", text.substr(0, text.find('\n'))}};
    if (start == std::string::npos) return nullptr;
    ordered_json json = ordered_json::parse(text.substr(start), nullptr, false);
    return json.is_discarded() ? ordered_json(nullptr) : json;
}

// Why no group can run; empty if that is not known.
std::string whyNone(const ordered_json& information, uint32_t device) {
    const ordered_json devices = information.value("devices", ordered_json());
    if (devices.is_array() && devices.size() <= device)
        return std::format("coopvk: there is no Vulkan device {}: `coopvk info` lists {}", device,
                           devices.size());
    return information.value("problem", "");
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
    // What no other device can tell comes before the time is up.
    std::vector<Group> groups = {{std::string(kLayouts), "native"}, {std::string(kSpeed), "auto"}};
    for (const rewrite::ExtensionInfo& info : rewrite::extensionTable()) {
        if (info.isByNameOnly) continue;  // coopvk lists it, and computes nothing
        const std::string name(info.vulkanName);
        groups.push_back({name, "core"});
        // One shader is the same in both unless it has matrices. The shapes of NV's matrices are
        // coopvk's: the native back-end refuses those that no shape of the driver divides.
        const bool hasOwnShapes = info.extension == rewrite::Extension::kNvCooperativeMatrix;
        if (compare::hasCases(name) && !hasOwnShapes) groups.push_back({name, "native"});
    }
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

// What the groups found so far: a file, so that the command can be ended at any time.
class Results {
 public:
    explicit Results(const SelftestOptions& options) : options_(options) {
        json_ = {{"version", COOPVK_VERSION}, {"rewriter", rewrite::version()}};
        json_["device"] = options.device;
        json_["information"] = withoutFolders(deviceInformation(options.limit));
        json_["parts"] = ordered_json::array();
    }

    // What the file has of an earlier start; false: something else wrote it. What it says of
    // another device or version is not taken.
    bool readEarlier() {
        std::error_code error;
        const auto size = std::filesystem::file_size(options_.json, error);
        if (error || size == 0) return true;
        const auto text = layer::readText(options_.json, size_t{64} << 20);
        const auto json = ordered_json::parse(text.value_or(""), nullptr, false);
        for (const char* key : {"rewriter", "device", "information", "parts"})
            if (!json.is_object() || !json.contains(key)) return false;
        for (const char* key : {"rewriter", "device", "information"})
            if (json.value(key, ordered_json()) != json_[key]) {
                std::cout << options_.json << " is of another device, driver or version of coopvk, "
                          << "or with other settings: all is done again" << std::endl;
                return true;
            }
        try {
            takeEarlier(json);
        } catch (const ordered_json::exception&) {
            return false;
        }
        return true;
    }

    const ordered_json& information() const { return json_["information"]; }
    const ordered_json& json() const { return json_; }

    // What an earlier start found of a group. One that ended the command twice is not tried again.
    std::optional<Part> earlier(const Group& group) const {
        const auto found = std::ranges::find(earlier_, group.name(),
                                             [](const Part& part) { return part.group.name(); });
        if (found != earlier_.end()) return *found;
        if (const auto begun = begun_.find(group.name());
            begun == begun_.end() || begun->second < 2)
            return std::nullopt;
        return Part{.group = group,
                    .cases = 1,
                    .differing = {"the command ended twice while its process ran"}};
    }
    void begin(const Group& group) {
        ++begun_[group.name()];
        json_["begun"] = begun_;
        write();
    }
    void add(const Part& part) {
        begun_.erase(part.group.name());
        json_["begun"] = begun_;
        json_["parts"].push_back(compare::jsonOf(part));
        write();
    }
    bool finish(const std::string& summary) {
        json_.erase("begun");
        json_["summary"] = summary;
        return write();
    }

 private:
    // Profiles lie in folders of users.
    static ordered_json withoutFolders(ordered_json information) {
        for (ordered_json& device : information["devices"]) {
            const auto tuning = device.find("tuning");
            if (tuning == device.end()) continue;
            const std::filesystem::path origin = tuning->value("origin", "");
            (*tuning)["origin"] = origin.filename().string();
        }
        return information;
    }
    void takeEarlier(const ordered_json& json) {
        begun_ = json.value("begun", std::map<std::string, int>());
        for (const ordered_json& part : json.value("parts", ordered_json::array()))
            if (part.value("notRun", "") != kTimeIsUp) earlier_.push_back(compare::partFrom(part));
    }
    bool write() const {
        return options_.json.empty() || replaceFile(options_.json, jsonText(json_, 1));
    }

    const SelftestOptions& options_;
    ordered_json json_;
    std::map<std::string, int> begun_;  // how many times, by group
    std::vector<Part> earlier_;
};

// All that is to be sent, without names of users.
bool writeResults(const SelftestOptions& options, const ordered_json& json) {
    const char* home = std::getenv("HOME");
    std::error_code error;
    const auto paths =
        personalPaths(home == nullptr ? "" : home, std::filesystem::current_path(error).string());
    std::vector<ArchivedFile> files = {
        {"selftest.json", jsonText(json, 1)},
        {"info", coopvkSays({"info", "--plan"}, options.limit)},
        {"doctor", coopvkSays({"doctor"}, options.limit)},
    };
    try {
        const auto& tuning = json.at("information").at("devices").at(options.device).at("tuning");
        const auto folder = layer::profilePath({}).parent_path();
        if (const auto text = layer::readText(folder / tuning.value("origin", ""), size_t{1} << 20))
            files.push_back({"tuning.json", *text});
    } catch (const ordered_json::exception&) {  // it is not known
    }
    for (ArchivedFile& file : files) file.bytes = withoutPersonal(file.bytes, paths, true);
    std::ofstream out(options.archive, std::ios::binary);
    return writeArchive(out, "coopvk-selftest", files) && out.flush();
}

std::vector<Part> runGroups(const SelftestOptions& options, Results& results) {
    const auto start = std::chrono::steady_clock::now();
    const bool ownMatrices = hasOwnMatrices(results.information(), options.device);
    const std::vector<Group> groups = allGroups();
    std::vector<Part> parts;
    for (size_t i = 0; i < groups.size(); ++i) {
        const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
        const double left = options.seconds - spent.count();
        Part part{.group = groups[i]};
        if (groups[i].backEnd == "native" && !ownMatrices) {
            part.why = "the driver has no matrices";
        } else if (const auto earlier = results.earlier(groups[i])) {
            part = *earlier;
        } else if (left <= 0) {
            part.why = kTimeIsUp;
        } else {
            results.begin(groups[i]);
            // Most groups are a single shader: the others can have more.
            part = startGroup(groups[i], options, 3 * left / double(groups.size() - i));
        }
        results.add(part);
        print(part);
        parts.push_back(std::move(part));
    }
    return parts;
}

int runSelftest(const SelftestOptions& options) {
    addLayerToSearchPath();
    if (!options.group.empty()) {
        compare::runGroup(options.group, options.device, options.cases, options.seconds);
        return kAgree;
    }
    if (const std::string file = firstUnwritable({options.json, options.archive}); !file.empty()) {
        std::cerr << "coopvk: cannot write " << file << '\n';
        return kCouldNotRun;
    }
    Results results(options);
    if (options.resume && !results.readEarlier()) {
        std::cerr
            << "coopvk: --resume: coopvk selftest did not write " << options.json
            << ", so there is nothing to go on with. Nothing was changed; name another file, or "
               "leave --resume out\n";
        return kCouldNotRun;
    }
    if (const std::string why = whyNone(results.information(), options.device); !why.empty()) {
        std::cerr << why << '\n';
        return kCouldNotRun;
    }
    std::cout << "selftest of " << deviceText(results.information(), options.device)
              << ": core is computed by ordinary instructions, native by the driver's own matrices"
              << std::endl;
    const Totals totals = totalsOf(runGroups(options, results));
    const std::string line = summary(results.information(), options.device, totals);
    std::cout << line << std::endl;
    const bool isWritten = results.finish(line);
    if (!isWritten) std::cerr << "coopvk: cannot write " << options.json << '\n';
    const bool isPacked = options.archive.empty() || writeResults(options, results.json());
    if (!isPacked) std::cerr << "coopvk: cannot write " << options.archive << '\n';
    if (!isWritten || !isPacked || totals.cases == 0) return kCouldNotRun;
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
    command
        ->add_option("--seconds", options->seconds,
                     "About how long it takes at most: slow devices compare fewer cases")
        ->default_str("300")
        ->check(CLI::Range(0.0, 1e9));
    CLI::Option* json =
        command->add_option("--json", options->json, "Write everything to this file, as it comes");
    command
        ->add_flag("--resume", options->resume,
                   "Go on where an earlier start was ended that wrote the same file")
        ->needs(json);
    command
        ->add_option("--archive", options->archive,
                     "Also pack what it found, and what coopvk says of the device, to be sent")
        ->option_text("FILE.tar");
    command
        ->add_option(
            "--group", options->group,
            "Run only this in this process, as the command does with each: an extension and "
            "a back-end; or layouts,native or speed,auto")
        ->option_text("NAME,BACK-END");
    command->callback([options, &status] { status = runSelftest(*options); });
}

}  // namespace coopvk::tool
