// SPDX-License-Identifier: Apache-2.0
//
// `coopvk config`: shows what coopvk.conf says for which programs and what is wrong with it, and
// installs the manifest with which coopvk.conf can switch the layer on.
#include <filesystem>
#include <iostream>

#include "commands.hpp"
#include "config/folders.hpp"
#include "config/manifest.hpp"
#include "config/program.hpp"
#include "failure.hpp"
#include "layer_location.hpp"
#include "parse.hpp"
#include "settings/configuration.hpp"
#include "settings/remembered.hpp"
#include "settings/settings.hpp"
#include "system/system.hpp"
#include "system/text.hpp"
#include "system/tool_system.hpp"

namespace coopvk::tool {
namespace {

namespace fs = std::filesystem;

struct ConfigOptions {
    bool check = false, install = false, uninstall = false, system = false;
    bool forget = false;
    std::string file;     // to check
    std::string program;  // to forget; empty: all
    std::vector<std::string> command;
};

int configFailed(const std::string& what) {
    complain(what);
    return 1;
}

int checkFiles(const ConfigOptions& options) {
    std::error_code error;
    if (!options.file.empty() && !fs::exists(options.file, error)) {
        return configFailed("there is no file " + options.file);
    }
    std::vector<layer::ConfigurationFile> files;
    if (options.file.empty()) {
        files = layer::readConfigurations();
    } else {
        files.push_back(layer::readConfiguration(options.file));
    }
    int status = 0;
    for (const layer::ConfigurationFile& file : files) {
        for (const std::string& fault : file.faults()) {
            std::cout << fault << '\n';
            status = 1;
        }
    }
    return status;
}

int install(const ConfigOptions& options) {
    const auto folder = findManifestFolder();
    if (!folder)
        return configFailed(std::string("the layer's manifest ") + kManifest + " is not found");
    const auto written = installManifest(*folder / kManifest, options.system);
    if (!written) return configFailed(written.error().message);
    std::cout << "written: " << written->string() << '\n';
    std::error_code error;
    if (const fs::path narrow = *folder / kNarrowManifest; fs::exists(narrow, error)) {
        const auto second = installManifest(narrow, options.system, true);
        if (!second) return configFailed(second.error().message);
        std::cout << "written: " << second->string() << '\n';
    }
    std::cout
        << "The loader now loads the layer into every program. The layer is off there, and "
           "passes every\ncall on, unless a section of coopvk.conf with enable = true matches.\n";
    return 0;
}

int uninstall(const ConfigOptions& options) {
    const fs::path manifest = configuredManifest(options.system);
    std::error_code error;
    if (!fs::remove(manifest, error)) {
        return configFailed(error ? manifest.string() + ": " + error.message()
                                  : "nothing to uninstall: there is no " + manifest.string());
    }
    const std::string wrong = system::unregisterManifest(manifest, options.system);
    if (!wrong.empty()) return configFailed(wrong);
    std::cout << "removed: " << manifest.string() << '\n';
    const fs::path narrow = configuredManifest(options.system, true);
    if (fs::remove(narrow, error)) std::cout << "removed: " << narrow.string() << '\n';
    return error ? configFailed(narrow.string() + ": " + error.message()) : 0;
}

void printSection(const layer::ConfigurationSection& section) {
    if (section.isBroken || section.lines.empty()) return;
    std::cout << "  " << (section.title.empty() ? "all programs" : layer::printable(section.title))
              << ": ";
    const char* separator = "";
    for (const layer::ConfigurationLine& line : section.lines) {
        std::cout << separator << line.key << " = " << layer::printable(line.value);
        separator = "; ";
    }
    std::cout << '\n';
}

void printFiles(const std::vector<layer::ConfigurationFile>& files) {
    for (const layer::ConfigurationFile& file : files) {
        if (file.path.empty()) continue;
        std::cout << file.path << (file.exists ? "" : ": there is none") << '\n';
        for (const layer::ConfigurationSection& section : file.sections) printSection(section);
        for (const std::string& fault : file.faults()) std::cout << "  fault: " << fault << '\n';
    }
    for (const bool forAllUsers : {false, true}) {
        std::error_code error;
        const fs::path manifest = configuredManifest(forAllUsers);
        if (!fs::exists(manifest, error)) continue;
        std::cout << "The loader loads the layer into every program by " << manifest.string()
                  << '\n';
        return;
    }
    std::cout << "The loader does not load the layer by itself, so enable = true has no effect: "
                 "coopvk config --install\n";
}

void printLine(std::string_view key, std::string_view value, std::string_view origin) {
    const auto pad = [](std::string_view text, size_t width) {
        std::cout << text << std::string(text.size() < width ? width - text.size() : 1, ' ');
    };
    std::cout << "  ";
    pad(key, 17);
    pad(value.empty() ? "-" : value, 10);
    std::cout << origin << '\n';
}

// Each setting that the program would have in this environment.
void printProgram(const std::vector<layer::ConfigurationFile>& files,
                  const ConfigOptions& options) {
    const layer::ProgramNames names = namesOf(options.command);
    const auto configured = layer::configuredFor(files, names);
    std::cout << (names.wine.empty() ? "exe = " + names.exe : "wine = " + names.wine) << '\n';
    printLine(layer::kEnableKey, configured.enable ? configured.enable->text : "false",
              configured.enable ? configured.enable->origin : "default");
    const auto found = layer::explainSettings(configured);
    for (size_t i = 0; i < found.size(); ++i) {
        printLine(layer::kSettings[i].key, layer::printable(found[i].text), found[i].origin);
    }
    for (const layer::ConfigurationFile& file : files) {
        for (const layer::ConfigurationSection& section : file.sections) {
            if (holdsFor(section, names) || !mayHoldFor(section, names)) continue;
            std::cout << "  also, if names match that only the running program knows: " << file.path
                      << ':' << section.line << ' ' << layer::printable(section.title) << '\n';
        }
    }
    for (const std::string& fault : configured.faults) std::cout << "  fault: " << fault << '\n';
}

int forget(const ConfigOptions& options) {
    const std::string name = fs::path(options.program).filename().string();
    const layer::Forgotten forgotten = layer::forgetFaults(name);
    for (const std::string& failure : forgotten.failures) configFailed("cannot remove " + failure);
    if (!forgotten.failures.empty()) return 1;
    const std::string whose = name.empty() ? "" : " of " + layer::printable(name);
    std::cout << (forgotten.programs == 0 ? "nothing is remembered" + whose
                                          : "forgotten: what was remembered" + whose)
              << '\n';
    return 0;
}

int runConfig(const ConfigOptions& options) {
    if (options.forget) return forget(options);
    if (options.check) return checkFiles(options);
    if (options.install) return install(options);
    if (options.uninstall) return uninstall(options);
    const auto files = layer::readConfigurations();
    if (options.command.empty()) {
        printFiles(files);
    } else {
        printProgram(files, options);
    }
    return 0;
}

}  // namespace

void addConfigCommand(CLI::App& app, int& status) {
    CLI::App* command =
        app.add_subcommand("config", "Show or check coopvk.conf, the settings by program");
    auto options = std::make_shared<ConfigOptions>();
    auto* check = command
                      ->add_option("--check", options->file,
                                   "Print the mistakes in FILE, or in the files that the layer "
                                   "reads; the status is 1 if there are any")
                      ->option_text("[FILE]")
                      ->expected(0, 1);
    auto* install = command->add_flag("--install", options->install,
                                      "Let the loader load the layer into every program, where it "
                                      "is off unless a section says enable = true");
    auto* uninstall = command->add_flag("--uninstall", options->uninstall, "Undo --install");
    command->add_flag("--system", options->system,
                      "With --install and --uninstall: for all users, in " +
                          layer::system::systemConfigFolder().string());
    install->excludes(uninstall)->excludes(check);
    uninstall->excludes(check);
    auto* forget = command
                       ->add_option("--forget", options->program,
                                    "Forget what was refused or failed in earlier starts of the "
                                    "program with this name, or of all, so that coopvk offers "
                                    "them everything again")
                       ->option_text("[NAME]")
                       ->expected(0, 1);
    forget->excludes(install)->excludes(uninstall)->excludes(check);
    command->add_option("app", options->command,
                        "Show the settings of this program, with its arguments, after --");
    command->positionals_at_end();
    startsProgram(*command, true);
    command->callback([options, check, forget, &status] {
        options->check = check->count() > 0;
        options->forget = forget->count() > 0;
        status = runConfig(*options);
    });
}

}  // namespace coopvk::tool
