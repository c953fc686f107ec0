// SPDX-License-Identifier: Apache-2.0
//
// `coopvk report`: runs a program, and packs what a report of a bug needs into one file.
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>

#include "advise/measure.hpp"
#include "commands.hpp"
#include "failure.hpp"
#include "input_file.hpp"
#include "report/archive.hpp"
#include "setting_options.hpp"
#include "supervisor.hpp"
#include "system/files.hpp"
#include "system/system.hpp"

namespace coopvk::tool {
namespace {

namespace fs = std::filesystem;

struct ReportOptions {
    std::string output = "coopvk-report.tar";
    std::string emulate, backEnd, inputs;
    std::vector<std::string> command;
};

// A folder for what the layer writes, which is removed in the end.
class Folder {
 public:
    Folder() {
        std::error_code error;
        const fs::path parent = fs::temp_directory_path(error);
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
    set(texts, "log_level", "debug");
    set(texts, "remember", "off");  // what is reported is to happen again
    set(texts, "log_file", (folder / "log").string());
    set(texts, "dump_dir", (folder / "shaders").string());
    set(texts, "dump_inputs", options.inputs);
    set(texts, "validate_output", "true");
    set(texts, "statistics", (folder / "statistics").string());
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
        return rewrite::Error{
            rewrite::ErrorCode::kInvalidArgument,
            "cannot start " + options.command.front() + ": " + std::strerror(ended.error)};
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

int runReport(const ReportOptions& options) {
    if (options.command.empty()) {
        std::cerr << "coopvk: no program given (coopvk report [options] -- APP [arguments])\n";
        return 2;
    }
    const Folder folder;
    if (folder.path().empty()) {
        std::cerr << "coopvk: cannot make a temporary folder\n";
        return 2;
    }
    std::vector<std::string> doctor = {"doctor", "--"};
    doctor.insert(doctor.end(), options.command.begin(), options.command.end());
    std::vector<ArchivedFile> files = {{"version", own({"--version"})},
                                       {"devices.json", jsonIn(own({"info", "--json"}))},
                                       {"doctor", own(doctor)}};
    const auto ended = runProgram(options, folder.path());
    if (!ended) {
        complain(ended.error().message);
        return 2;
    }
    files.push_back({"status", *ended});
    for (ArchivedFile& file : filesOfFolder(folder.path())) files.push_back(std::move(file));
    files = withoutPersonal(std::move(files), folder.path());
    std::ofstream out(options.output, std::ios::binary);
    if (!writeArchive(out, "coopvk-report", files)) {
        std::cerr << "coopvk: cannot write " << options.output << '\n';
        return 2;
    }
    std::cerr << "coopvk: wrote " << options.output << " (" << files.size()
              << " files). It has the program's shaders"
              << (options.inputs.empty() ? "" : ", and what its dispatches read")
              << ": make sure that you may pass them on.\n";
    return 0;
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
    command->add_option("app", options->command, "The program and its arguments, after --");
    command->positionals_at_end();
    command->callback([options, &status] { status = runReport(*options); });
}

}  // namespace coopvk::tool
