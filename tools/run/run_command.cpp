// SPDX-License-Identifier: Apache-2.0
//
// `coopvk run`: starts a program with the layer switched on, wherever the layer is. If nothing was
// emulated, says why when the program ends.
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iostream>

#include "commands.hpp"
#include "config/folders.hpp"
#include "config/manifest.hpp"
#include "config/program.hpp"
#include "config/saved_section.hpp"
#include "parse.hpp"
#include "report/run_report.hpp"
#include "run/explanation.hpp"
#include "run/requirements.hpp"
#include "setting_options.hpp"
#include "supervisor.hpp"
#include "system/system.hpp"
#include "system/tool_system.hpp"
#include "temporary_file.hpp"

namespace coopvk::tool {
namespace {

namespace fs = std::filesystem;

struct RunOptions {
    SettingTexts settings;
    bool printEnvironment = false;
    bool quiet = false;
    bool save = false;
    Requirements required;
    std::vector<std::string> command;
};

int cannotStart(const std::string& program, int error) {
    std::cerr << "coopvk: cannot start " << program << ": " << std::strerror(error) << '\n';
    return error == ENOENT ? 127 : 126;  // as a shell would
}

// The options as lines of coopvk.conf.
SavedLines linesToSave(const RunOptions& options) {
    SavedLines lines = {{std::string(layer::kEnableKey), "true"}};
    for (const layer::SettingInfo& setting : layer::kSettings) {
        const std::string value = valueOf(options.settings, setting);
        if (!value.empty()) lines.emplace_back(setting.key, value);
    }
    return lines;
}

// Writes a section for each program in which the layer was, or for the program of the command line.
void save(const RunOptions& options, const std::string& report) {
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
        std::cerr << "coopvk: the section has no effect before coopvk config --install, which lets "
                     "the loader load the layer by itself\n";
    }
}

// Waits for the program, and says why nothing was emulated, if so.
int startAndExplain(const RunOptions& options) {
    const std::vector<std::string>& command = options.command;
    TemporaryFile report;
    if (report.path().empty()) {
        std::cerr << "coopvk: " << kNoTemporaryFile << '\n';
        // Nobody would know whether the program fulfils it.
        if (!options.required.empty()) return kRunFailed;
        return cannotStart(command.front(), replaceBy(command));
    }
    layer::system::setVariable(layer::kRunReportVariable, report.path());
    const Ended ended = runAndWait(command);
    if (ended.error != 0) return cannotStart(command.front(), ended.error);
    const std::string name = fs::path(command.front()).filename().string();
    const std::string text = report.text();
    if (!options.quiet) {
        for (const std::string& line : explain(text, name, ended.othersLeft)) {
            std::cerr << "coopvk: " << line << '\n';
        }
    }
    if (options.save) save(options, text);
    const auto missing = unfulfilled(options.required, text);
    for (const std::string& line : missing) std::cerr << "coopvk: " << line << '\n';
    std::cerr.flush();
    report.remove();
    if (!missing.empty()) return kRunFailed;
    endLike(ended.status);
}

int runRun(const RunOptions& options) {
    if (options.command.empty() && !options.printEnvironment) {
        std::cerr << "coopvk: no program given (coopvk run [options] -- APP [arguments])\n";
        return kRunFailed;
    }
    if (const auto unknown = unknownExtensions(options.required); !unknown.empty()) {
        std::cerr << "coopvk: --require: coopvk emulates no " << unknown.front() << '\n';
        return kRunFailed;
    }
    // What a test finds does not depend on what ran before it.
    SettingTexts settings = options.settings;
    if (std::string& remember = settings[indexOf("remember")];
        !options.required.empty() && remember.empty())
        remember = "off";
    const auto environment = layerEnvironment(settings);
    if (!environment) {
        std::cerr << "coopvk: " << environment.error().message << '\n';
        return kRunFailed;
    }
    if (options.printEnvironment) {
        std::cout << system::unsetCommand("COOPVK_DISABLE") << '\n';
        for (const auto& [name, value] : *environment) {
            std::cout << system::setCommand(name, value) << '\n';
        }
        return 0;
    }
    layer::system::unsetVariable("COOPVK_DISABLE");
    for (const auto& [name, value] : *environment) layer::system::setVariable(name, value);
    if (!options.quiet || options.save || !options.required.empty())
        return startAndExplain(options);
    layer::system::unsetVariable(layer::kRunReportVariable);
    return cannotStart(options.command.front(), replaceBy(options.command));
}

}  // namespace

void addRunCommand(CLI::App& app, int& status) {
    CLI::App* command = app.add_subcommand("run", "Start a program with the layer switched on");
    auto options = std::make_shared<RunOptions>();
    addSettingOptions(*command, options->settings);
    command->add_flag("-q,--quiet", options->quiet,
                      "Do not say at the end why nothing was emulated");
    command->add_flag("--save", options->save,
                      "At the end, write these settings to ~/.config/coopvk/coopvk.conf, as a "
                      "section that switches the layer on for the program");
    command
        ->add_option("--require", options->required.extensions,
                     "End with status 125 unless coopvk emulated each of these extensions in a "
                     "shader or command of the program")
        ->option_text("NAME[,NAME]...")
        ->delimiter(',')
        ->allow_extra_args(false);
    command->add_flag("--strict", options->required.strict,
                      "End with status 125 if nothing was emulated, a shader was refused, or the "
                      "device was lost");
    command->add_flag("--print-environment", options->printEnvironment,
                      "Print shell commands that set the environment, and start nothing");
    command->add_option("app", options->command, "The program and its arguments, after --");
    command->positionals_at_end();
    startsProgram(*command);
    command->callback([options, &status] { status = runRun(*options); });
}

}  // namespace coopvk::tool
