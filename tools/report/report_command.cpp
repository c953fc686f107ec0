// SPDX-License-Identifier: Apache-2.0
//
// `coopvk report`: runs a program, and packs what a report of a bug needs into one file.
#include <cstdlib>
#include <cstring>
#include <format>
#include <fstream>
#include <iostream>

#include "advise/measure.hpp"
#include "commands.hpp"
#include "failure.hpp"
#include "input_file.hpp"
#include "parse.hpp"
#include "report/archive.hpp"
#include "setting_options.hpp"
#include "settings/kept_report.hpp"
#include "supervisor.hpp"
#include "system/files.hpp"
#include "system/system.hpp"
#include "system/tool_system.hpp"
#include "temporary_file.hpp"

namespace coopvk::tool {
namespace {

namespace fs = std::filesystem;

struct ReportOptions {
    std::string output = "coopvk-report.tar";
    std::string emulate, backEnd, inputs;
    bool kept = false;  // what a program has left, and none that is started here
    bool show = false;
    std::vector<std::string> command;
};

// A folder for what the layer writes, which is removed in the end.
class Folder {
 public:
    Folder() {
        std::error_code error;
        const fs::path parent = fs::temp_directory_path(error);
        if (error) return;
        const auto made = layer::OutputFolder::makePrivate(parent.string());
        if (made) path_ = made->path();
    }
    ~Folder() {
        std::error_code error;
        if (!path_.empty()) fs::remove_all(path_, error);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    const fs::path& path() const { return path_; }

 private:
    fs::path path_;
};

// What another command of this tool prints.
std::string own(const std::vector<std::string>& arguments) {
    std::vector<std::string> command = {layer::system::programFile().string()};
    command.insert(command.end(), arguments.begin(), arguments.end());
    return runOnce(command, {}, {}).output;
}

// Loaders and drivers may say something before it.
std::string jsonIn(const std::string& text) {
    const size_t start = text.starts_with('{') ? 0 : text.find("\n{");
    return start == std::string::npos ? text : text.substr(start == 0 ? 0 : start + 1);
}

void set(SettingTexts& texts, std::string_view key, const std::string& value) {
    for (size_t i = 0; i < texts.size(); ++i)
        if (layer::kSettings[i].key == key) texts[i] = value;
}

SettingTexts settingsFor(const ReportOptions& options, const fs::path& folder) {
    SettingTexts texts;
    set(texts, "emulate", options.emulate);
    set(texts, "back_end", options.backEnd);
    set(texts, "dump_inputs", options.inputs);
    set(texts, "report", folder.string());
    return texts;
}

// How the program ended.
rewrite::Result<std::string> runProgram(const ReportOptions& options, const fs::path& folder) {
    const auto environment = layerEnvironment(settingsFor(options, folder));
    if (!environment) return environment.error();
    layer::system::unsetVariable("COOPVK_DISABLE");
    for (const auto& [name, value] : *environment) layer::system::setVariable(name, value);
    const Ended ended = runAndWait(options.command);
    if (ended.error != 0)
        return failure("cannot start " + options.command.front() + ": " +
                       std::strerror(ended.error));
    return "wait status " + std::to_string(ended.status) + "\n";
}

bool isText(const fs::path& path) {
    return path.extension() != ".spv" && path.extension() != ".bin";
}

std::vector<ArchivedFile> filesOfFolder(const fs::path& folder) {
    std::vector<ArchivedFile> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
        if (!entry.is_regular_file()) continue;
        const auto bytes = readFile(entry.path().string());
        if (bytes) files.push_back({fs::relative(entry.path(), folder).generic_string(), *bytes});
    }
    std::ranges::sort(files, {}, &ArchivedFile::name);
    return files;
}

std::vector<ArchivedFile> withoutPersonal(std::vector<ArchivedFile> files, const fs::path& folder) {
    const char* home = std::getenv("HOME");
    std::error_code error;  // the current folder may be gone
    auto paths = personalPaths(home == nullptr ? "" : home, fs::current_path(error).string());
    paths.insert(paths.begin(), {folder.string(), "."});
    for (ArchivedFile& file : files) {
        if (fs::path(file.name).extension() == ".bin") continue;
        file.bytes = tool::withoutPersonal(std::move(file.bytes), paths, isText(file.name));
    }
    return files;
}

// What is to be told of this machine, and of the layer in a program.
std::vector<ArchivedFile> surroundings(const std::vector<std::string>& program) {
    std::vector<std::string> doctor = {"doctor", "--"};
    doctor.insert(doctor.end(), program.begin(), program.end());
    return {{"version", own({"--version"})},
            {"devices.json", jsonIn(own({"info", "--json"}))},
            {"doctor", own(doctor)}};
}

// A report or, where there can be none, why.
using Outcome = rewrite::Result<std::string>;

Outcome pack(const ReportOptions& options, std::vector<ArchivedFile> files,
             const fs::path& folder) {
    for (ArchivedFile& file : filesOfFolder(folder)) files.push_back(std::move(file));
    files = withoutPersonal(std::move(files), folder);
    std::ofstream out(options.output, std::ios::binary);
    if (!writeArchive(out, "coopvk-report", files))
        return failure("cannot write " + options.output);
    const bool hasShaders = std::ranges::any_of(
        files, [](const ArchivedFile& file) { return file.name.starts_with("shaders/"); });
    return std::format(
        "wrote {} ({} files). {}", options.output, files.size(),
        hasShaders ? std::format("It has the program's shaders{}: make sure that you "
                                 "may pass them on.",
                                 options.inputs.empty() ? "" : ", and what its dispatches read")
                   : "It has no shaders: coopvk rewrote and refused none.");
}

Outcome runAndPack(const ReportOptions& options) {
    const Folder folder;
    if (folder.path().empty()) return failure(kNoTemporaryFile);
    std::vector<ArchivedFile> files = surroundings(options.command);
    const auto ended = runProgram(options, folder.path());
    if (!ended) return ended.error();
    files.push_back({"status", *ended});
    return pack(options, std::move(files), folder.path());
}

// The reports that programs have left, the last one first.
std::vector<fs::path> keptReports(const fs::path& reports) {
    std::vector<std::pair<fs::file_time_type, fs::path>> found;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(reports, error)) {
        const auto time = fs::last_write_time(entry.path() / layer::kReportLog, error);
        if (!error) found.emplace_back(time, entry.path());
    }
    std::ranges::sort(found, std::ranges::greater());
    std::vector<fs::path> paths;
    for (auto& [time, path] : found) paths.push_back(std::move(path));
    return paths;
}

bool hasShaders(const fs::path& report) {
    std::error_code error;
    return !fs::is_empty(report / layer::kReportShaders, error) && !error;
}

// Of a game that starts others first, the report is that of the last one with shaders.
Outcome packKept(const ReportOptions& options) {
    const fs::path reports = layer::reportsFolder();
    std::vector<fs::path> kept = keptReports(reports);
    if (kept.empty())
        return failure(
            "no program has left a report in " + reports.string() +
            ". Start it with COOPVK_ENABLE=1 COOPVK_REPORT=1; coopvk doctor says why the "
            "layer is off in a program");
    std::ranges::stable_partition(kept, hasShaders);
    std::vector<ArchivedFile> files = surroundings({});
    files.push_back({"status", "not known: " + kept.front().filename().string() + "\n"});
    auto packed = pack(options, std::move(files), kept.front());
    std::error_code error;
    if (packed) fs::remove_all(kept.front(), error);
    if (packed && kept.size() > 1)
        *packed +=
            std::format(" Reports that are left: {}, in {}.", kept.size() - 1, reports.string());
    return packed;
}

// For who sees no terminal: what happened, in a file beside the report, and the folder of both.
void show(const ReportOptions& options, const std::string& message) {
    std::error_code error;
    const fs::path output = fs::absolute(options.output, error);
    const fs::path text = fs::path(output).replace_extension(".txt");
    std::ofstream(text) << message << '\n';
    runOnce(system::showCommand(fs::exists(output, error) ? output.parent_path() : text), {}, {});
}

int runReport(ReportOptions options) {
    if (options.command.empty() != options.kept) {
        std::cerr << "coopvk: " << (options.kept ? "--kept starts no program" : "no program given")
                  << " (coopvk report [options] -- APP [arguments], or coopvk report --kept)\n";
        return 2;
    }
    const char* home = std::getenv("HOME");
    if (options.show && home != nullptr && fs::path(options.output).is_relative())
        options.output = (fs::path(home) / options.output).string();
    const Outcome outcome = options.kept ? packKept(options) : runAndPack(options);
    const std::string& message = outcome ? *outcome : outcome.error().message;
    complain(message);
    if (options.show) show(options, message);
    return outcome ? 0 : 2;
}

}  // namespace

void addReportCommand(CLI::App& app, int& status) {
    CLI::App* command = app.add_subcommand(
        "report", "Run a program, and pack what a report of a bug needs into one file");
    auto options = std::make_shared<ReportOptions>();
    command->add_option("-o,--output", options->output, "The file, in the tar format")
        ->default_str("coopvk-report.tar");
    command->add_option("--inputs", options->inputs,
                        "Also what dispatches of rewritten shaders read, up to this size, as "
                        "COOPVK_DUMP_INPUTS says");
    command->add_option("--emulate", options->emulate, "Which extensions to emulate");
    command->add_option("--back-end", options->backEnd, "What the layer turns matrices into")
        ->check(CLI::IsMember({"auto", "core", "native"}));
    command->add_flag(
        "--kept", options->kept,
        "Start no program: pack what the last one with COOPVK_REPORT=1 has left, and remove it");
    command->add_flag(
        "--show", options->show,
        "Write to your folder, and open it in the file manager, with a text that says "
        "what happened");
    command->add_option("app", options->command, "The program and its arguments, after --");
    command->positionals_at_end();
    startsProgram(*command);
    command->callback([options, &status] { status = runReport(*options); });
}

}  // namespace coopvk::tool
