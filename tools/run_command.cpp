// SPDX-License-Identifier: Apache-2.0
//
// `coopvk run`: starts a program with the layer switched on, wherever the layer lies, and tells at
// its end if nothing was emulated, and why.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>

#include "commands.hpp"
#include "config/folders.hpp"
#include "config/manifest.hpp"
#include "config/program.hpp"
#include "config/saved_section.hpp"
#include "explanation.hpp"
#include "layer_location.hpp"
#include "names.hpp"
#include "policy.hpp"
#include "run_report.hpp"
#include "setting_table.hpp"
#include "supervisor.hpp"

namespace coopvk::tool {
namespace {

namespace fs = std::filesystem;

constexpr const layer::SettingInfo& kEmulate = *layer::findSetting("emulate");
constexpr const layer::SettingInfo& kDumpDir = *layer::findSetting("dump_dir");

struct Options {
    // One for each of the layer's settings, in their order; empty where it was not given.
    std::array<std::string, std::size(layer::kSettings)> settings;
    bool printEnvironment = false;
    bool quiet = false;
    bool save = false;
    std::vector<std::string> command;
};

// How the loader finds the layer.
void addSearchPath(const fs::path& folder, Environment& environment) {
    const SearchPath path = searchPath(folder);
    environment = path.environment;
    if (!path.implicit)
        environment.emplace_back("VK_INSTANCE_LAYERS",
                                 join(layer::kLayerName, std::getenv("VK_INSTANCE_LAYERS"), ':'));
}

// The program may have another working directory.
std::string valueOf(const layer::SettingInfo& setting, const std::string& text) {
    const bool isPath = setting.type.starts_with("SAVE_") || setting.key == "statistics";
    return isPath && text != "1" ? fs::absolute(text).string() : text;
}

const std::string& settingOf(const Options& options, const layer::SettingInfo& setting) {
    return options.settings[static_cast<size_t>(&setting - layer::kSettings)];
}

Environment makeEnvironment(const Options& options, const fs::path& folder) {
    Environment environment;
    addSearchPath(folder, environment);
    environment.emplace_back("COOPVK_ENABLE", "1");
    for (size_t i = 0; i < options.settings.size(); ++i) {
        if (options.settings[i].empty()) continue;
        environment.emplace_back(layer::kSettings[i].variable,
                                 valueOf(layer::kSettings[i], options.settings[i]));
    }
    return environment;
}

// For a POSIX shell.
std::string quote(const std::string& text) {
    std::string quoted = "'";
    for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return quoted + "'";
}

int cannotStart(const std::string& program, int error) {
    std::cerr << "coopvk: cannot start " << program << ": " << std::strerror(error) << '\n';
    return error == ENOENT ? 127 : 126;  // as a shell would
}

// A file of its own for what the layer reports, which goes when this does.
class ReportFile {
 public:
    ReportFile() : path_((fs::temp_directory_path() / "coopvk-run-XXXXXX").string()) {
        const int file = ::mkostemp(path_.data(), O_CLOEXEC);
        if (file < 0) path_.clear();
        if (file >= 0) ::close(file);
    }
    ~ReportFile() { remove(); }
    ReportFile(const ReportFile&) = delete;
    ReportFile& operator=(const ReportFile&) = delete;

    void remove() {
        if (!path_.empty()) ::unlink(path_.c_str());
    }
    const std::string& path() const { return path_; }
    std::string text() const {
        std::ifstream file(path_, std::ios::binary);
        return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    }

 private:
    std::string path_;
};

// What the options say, as lines of coopvk.conf.
SavedLines linesToSave(const Options& options) {
    SavedLines lines = {{std::string(layer::kEnableKey), "true"}};
    for (size_t i = 0; i < options.settings.size(); ++i) {
        const layer::SettingInfo& setting = layer::kSettings[i];
        if (options.settings[i].empty()) continue;
        lines.emplace_back(setting.key, valueOf(setting, options.settings[i]));
    }
    return lines;
}

// A section for each program that the layer saw, or for the one that was named.
void save(const Options& options, const std::string& report) {
    const auto saved = saveSections(programsOf(report), namesOf(options.command),
                                    linesToSave(options), userConfiguration());
    if (!saved) {
        std::cerr << "coopvk: not saved: " << saved.error().message << '\n';
        return;
    }
    for (const std::string& line : *saved) std::cerr << "coopvk: " << line << '\n';
    std::error_code error;
    if (!fs::exists(configuredManifest(false), error) &&
        !fs::exists(configuredManifest(true), error)) {
        std::cerr << "coopvk: it has no effect until the loader loads the layer by itself: "
                     "coopvk config --install\n";
    }
}

// Waits for the program, and tells why it had no use for coopvk, where that is so.
int startAndExplain(const Options& options) {
    const std::vector<std::string>& command = options.command;
    ReportFile report;
    if (report.path().empty()) return cannotStart(command.front(), replaceBy(command));
    setenv(layer::kRunReportVariable, report.path().c_str(), 1);
    const Ended ended = runAndWait(command);
    if (ended.error != 0) return cannotStart(command.front(), ended.error);
    const std::string name = fs::path(command.front()).filename();
    const std::string text = report.text();
    if (!options.quiet) {
        for (const std::string& line : explain(text, name, ended.othersLeft)) {
            std::cerr << "coopvk: " << line << '\n';
        }
    }
    if (options.save) save(options, text);
    std::cerr.flush();
    report.remove();
    endLike(ended.status);
}

int runRun(const Options& options) {
    if (options.command.empty() && !options.printEnvironment) {
        std::cerr << "coopvk: run what? (coopvk run [options] -- APP [arguments])\n";
        return 1;
    }
    // The layer could only warn of it, which a program may hide.
    std::vector<std::string> complaints;
    layer::EmulatePolicy::parse(settingOf(options, kEmulate), complaints);
    if (!complaints.empty()) {
        std::cerr << "coopvk: " << complaints.front() << '\n';
        return 1;
    }
    const auto manifests = findManifestFolder();
    if (!manifests) {
        std::cerr << "coopvk: the layer's manifest " << kManifest
                  << " is neither in ../share/vulkan/implicit_layer.d nor in ../layer, seen from "
                     "this program's folder\n";
        return 1;
    }
    if (const std::string& folder = settingOf(options, kDumpDir);
        !folder.empty() && folder.find('%') == std::string::npos) {
        fs::create_directories(folder);  // the layer makes those that are named for a program
    }
    const Environment environment = makeEnvironment(options, *manifests);
    if (options.printEnvironment) {
        std::cout << "unset COOPVK_DISABLE\n";
        for (const auto& [name, value] : environment) {
            std::cout << "export " << name << '=' << quote(value) << '\n';
        }
        return 0;
    }
    unsetenv("COOPVK_DISABLE");
    for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
    if (!options.quiet || options.save) return startAndExplain(options);
    unsetenv(layer::kRunReportVariable);
    return cannotStart(options.command.front(), replaceBy(options.command));
}

// "log_level" becomes --log-level, which overrides the environment's COOPVK_LOG_LEVEL.
void addSetting(CLI::App& command, const layer::SettingInfo& setting, std::string& value) {
    std::string name = "--" + std::string(setting.key);
    std::ranges::replace(name, '_', '-');
    const std::string help(setting.description);
    if (setting.type == "BOOL") {
        command.add_flag_callback(name, [&value] { value = "true"; }, help);
        return;
    }
    if (setting.key == "statistics") {
        command.add_flag(name + "{1}", value, help)->option_text("[=FILE]");
        return;
    }
    CLI::Option* option = command.add_option(name, value, help);
    if (setting.values().empty()) {
        option->option_text(setting.type == "SAVE_FILE"     ? "FILE"
                            : setting.type == "SAVE_FOLDER" ? "DIR"
                                                            : "TEXT");
        return;
    }
    const auto values = setting.values();
    option->check(CLI::IsMember(std::vector<std::string>(values.begin(), values.end())));
}

}  // namespace

void addRunCommand(CLI::App& app, int& status) {
    CLI::App* command = app.add_subcommand("run", "Start a program with the layer switched on");
    auto options = std::make_shared<Options>();
    for (size_t i = 0; i < options->settings.size(); ++i) {
        addSetting(*command, layer::kSettings[i], options->settings[i]);
    }
    command->add_flag("-q,--quiet", options->quiet,
                      "Do not tell at the end why nothing was emulated");
    command->add_flag("--save", options->save,
                      "At the end, write these settings into ~/.config/coopvk/coopvk.conf, as a "
                      "section for the program that switches the layer on");
    command->add_flag("--print-environment", options->printEnvironment,
                      "Print shell commands that set the environment, and start nothing");
    command->add_option("app", options->command, "The program and its arguments, after --");
    command->positionals_at_end();
    command->callback([options, &status] { status = runRun(*options); });
}

}  // namespace coopvk::tool
