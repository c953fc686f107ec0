// SPDX-License-Identifier: Apache-2.0
//
// coopvk_fleet: shows what the compilers of GPU drivers make of coopvk's output, without GPUs. The
// main program of scripts/fleet; see docs/developers/fleet.md.
#include <fnmatch.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "allowances.hpp"
#include "comparison.hpp"
#include "devices.hpp"
#include "fixtures.hpp"
#include "measurement.hpp"
#include "supervisor.hpp"
#include "worker.hpp"

namespace coopvk::fleet {
namespace {

// Where Debian puts the preload libraries.
constexpr const char* kLibraryPath =
    "/usr/local/lib:/usr/lib/x86_64-linux-gnu:/usr/lib/aarch64-linux-gnu:/usr/lib64:/usr/lib";

struct Options {
    std::vector<std::string> devices, subjects;
    std::vector<std::string> folders;  // FOLDER=PREFIX
    std::vector<std::string> program;
    uint32_t lanes = 0, first = 0;
    bool all = false, list = false, noBuiltIn = false, refusals = false;
    std::string json, texts, check, write, compare, fixtures;
    Surroundings surroundings{kLibraryPath, {}};
    int report = -1;  // of the worker: where its lines go
};

bool matches(const std::string& name, const std::vector<std::string>& patterns) {
    return patterns.empty() || std::ranges::any_of(patterns, [&](const std::string& pattern) {
               return fnmatch(("*" + pattern + "*").c_str(), name.c_str(), 0) == 0;
           });
}

std::vector<Subject> chooseSubjects(const Options& options) {
    std::vector<Subject> list;
    if (!options.noBuiltIn) list = builtInSubjects();
    for (const std::string& folder : options.folders) {
        const size_t equals = folder.rfind('=');
        if (equals == folder.npos) throw std::runtime_error("--folder takes FOLDER=PREFIX");
        auto more = subjectsIn(folder.substr(0, equals), folder.substr(equals + 1));
        std::ranges::move(more, std::back_inserter(list));
    }
    std::erase_if(list, [&](const Subject& s) { return !matches(s.name, options.subjects); });
    if (list.empty()) throw std::runtime_error("no subject of that name");
    return list;
}

std::vector<Device> chooseDevices(const Options& options) {
    std::vector<Device> list;
    for (const std::string& name : options.devices) list.push_back(deviceOf(name));
    for (Device& device : devices())
        if (options.devices.empty() && (options.all || device.isShort))
            list.push_back(std::move(device));
    return list;
}

// The options with which the worker chooses the same subjects as its parent.
std::vector<std::string> workerArguments(const Options& options) {
    std::vector<std::string> list;
    for (const std::string& subject : options.subjects)
        list.insert(list.end(), {"--subject", subject});
    for (const std::string& folder : options.folders) list.insert(list.end(), {"--folder", folder});
    if (options.lanes != 0) list.insert(list.end(), {"--lanes", std::to_string(options.lanes)});
    if (options.noBuiltIn) list.push_back("--no-built-in");
    if (options.refusals) list.push_back("--refusals");
    if (!options.texts.empty()) list.insert(list.end(), {"--text", options.texts});
    return list;
}

int beWorker(const Options& options) {
    std::FILE* report = fdopen(options.report, "w");
    work({options.devices.front(), chooseSubjects(options), options.lanes, options.first,
          options.texts, options.refusals},
         report);
    std::fclose(report);
    return EXIT_SUCCESS;
}

std::string readFile(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw std::runtime_error("cannot read " + path);
    return {std::istreambuf_iterator<char>(file), {}};
}

void writeFile(const std::string& path, const std::string& text) {
    std::ofstream file(path, std::ios::binary);
    file << text;
    if (!file.flush()) throw std::runtime_error("cannot write " + path);
}

// Everything to measure; prints devices that are not available.
std::vector<Measurement> measureAll(const Options& options) {
    std::vector<Measurement> all;
    for (const Device& device : chooseDevices(options)) {
        if (const std::string why = whyNot(device, options.surroundings); !why.empty()) {
            std::cout << "SKIPPED: " << device.name << ": " << why << '\n';
            continue;
        }
        auto some = runWorker(device, options.surroundings, workerArguments(options));
        std::cout << table(some) << std::endl;
        std::ranges::move(some, std::back_inserter(all));
    }
    return all;
}

// Prints all problems; returns whether there are none.
bool judge(const Options& options, const std::vector<Measurement>& all) {
    std::optional<Allowances> allowances;
    if (!options.check.empty()) allowances.emplace(readFile(options.check));
    bool good = true, told = false;
    for (const Measurement& m : all) {
        std::vector<std::string> problems = problemsOf(m);
        if (allowances && allowances->driver() != m.driver) {
            if (!std::exchange(told, true))
                std::cout << "NOT COMPARED: the figures are of " << allowances->driver()
                          << ", the compilers here of " << m.driver << '\n';
        } else if (allowances) {
            std::ranges::move(allowances->check(m, deviceOf(m.device).spillSpread),
                              std::back_inserter(problems));
        }
        for (const std::string& problem : problems)
            std::cerr << "FAILED: " << m.device << ", " << m.subject << ", " << m.size
                      << " lanes: " << problem << '\n';
        good = good && problems.empty();
    }
    return good;
}

int runAll(const Options& options) {
    chooseSubjects(options);  // complains before any process starts
    const std::vector<Measurement> all = measureAll(options);
    if (!options.json.empty()) {
        nlohmann::ordered_json json = nlohmann::ordered_json::array();
        for (const Measurement& m : all) json.push_back(toJson(m));
        writeFile(options.json, json.dump(1) + '\n');
    }
    if (!options.compare.empty()) {
        std::vector<Measurement> before;
        for (const auto& row : nlohmann::ordered_json::parse(readFile(options.compare)))
            before.push_back(measurementFromJson(row));
        std::cout << compare(before, all) << '\n';
    }
    if (!options.write.empty() && !all.empty())
        writeFile(options.write,
                  Allowances::write(readFile(options.write), all.front().driver, all));
    return judge(options, all) ? EXIT_SUCCESS : EXIT_FAILURE;
}

int runProgram(const Options& options) {
    if (options.devices.size() != 1) throw std::runtime_error("a program takes one --device");
    const Device device = deviceOf(options.devices.front());
    if (const std::string why = whyNot(device, options.surroundings); !why.empty())
        throw std::runtime_error(why);
    becomeProgram(device, options.surroundings, options.program);
    throw std::runtime_error("cannot start " + options.program.front());
}

int writeFixtures(const Options& options) {
    for (const Device& device : chooseDevices(options))
        writeFixture(device, options.surroundings, options.fixtures);
    return EXIT_SUCCESS;
}

int listAll(const Options& options) {
    for (const Device& device : devices())
        std::cout << "device " << device.name << ": " << device.gpu
                  << (device.isShort ? "" : " (with --all)") << '\n';
    for (const Subject& subject : chooseSubjects(options))
        std::cout << "subject " << subject.name << '\n';
    return EXIT_SUCCESS;
}

void addOptions(CLI::App& app, Options& options) {
    app.add_option("--device", options.devices, "Only this device; may be given again")
        ->allow_extra_args(false);
    app.add_option(
           "--subject", options.subjects,
           "Only shaders whose names have this part, in which * stands for anything; may be "
           "given again")
        ->allow_extra_args(false);
    app.add_option("--folder", options.folders, "The shaders of a folder too, as PREFIX/NAME")
        ->option_text("FOLDER=PREFIX")
        ->allow_extra_args(false);
    app.add_option("--lanes", options.lanes, "Only subgroups of so many lanes");
    app.add_flag("--all", options.all, "All devices; default: those of the short tests");
    app.add_flag("--no-built-in", options.noBuiltIn, "Only the shaders of --folder");
    app.add_flag("--refusals", options.refusals,
                 "coopvk may refuse shaders, which is told: tests make such");
    app.add_flag("--list", options.list, "Only list devices and subjects");
    app.add_option("--json", options.json, "Write all figures to this file");
    app.add_option("--text", options.texts, "Keep what the drivers tell of their code here");
    app.add_option("--check", options.check,
                   "Fail where a shader is worse than this document allows");
    app.add_option("--write", options.write, "Write what was measured into this document");
    app.add_option("--compare", options.compare,
                   "Print the figures beside those of an earlier run, a file of --json");
    app.add_option("--fixtures", options.fixtures,
                   "Only write what coopvk info tells of the devices into this folder");
    app.add_option("--library-path", options.surroundings.libraryPath,
                   "Folders of the preload libraries")
        ->capture_default_str();
    app.add_option("--capture", options.surroundings.capture,
                   "Keep the shaders of PROGRAM's compute pipelines here, for --folder");
    app.add_option("PROGRAM", options.program, "Run this on the device; behind --");
    app.add_option("--worker", options.report)->group("");
    app.add_option("--first", options.first)->group("");
}

}  // namespace
}  // namespace coopvk::fleet

int main(int argc, char** argv) {
    using namespace coopvk::fleet;
    CLI::App app("What the compilers of GPU drivers make of coopvk's output, without GPUs");
    Options options;
    addOptions(app, options);
    CLI11_PARSE(app, argc, argv);
    try {
        if (options.report >= 0) return beWorker(options);
        if (!options.fixtures.empty()) return writeFixtures(options);
        if (!options.program.empty()) return runProgram(options);
        return options.list ? listAll(options) : runAll(options);
    } catch (const std::exception& error) {
        std::cerr << "coopvk_fleet: " << error.what() << '\n';
        return EXIT_FAILURE;
    }
}
