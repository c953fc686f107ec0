// SPDX-License-Identifier: Apache-2.0
//
// `coopvk run`: starts a program with the layer switched on, wherever the layer lies.
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <optional>

#include "commands.hpp"
#include "layer_location.hpp"
#include "policy.hpp"

namespace coopvk::tool {
namespace {

namespace fs = std::filesystem;

struct Options {
    std::string emulate;
    std::string logLevel;
    std::string logFile;
    std::string dumpDir;
    bool validateOutput = false;
    bool printEnvironment = false;
    std::vector<std::string> command;
};

// How the loader finds the layer.
void addSearchPath(const fs::path& folder, Environment& environment) {
    const SearchPath path = searchPath(folder);
    environment = path.environment;
    if (!path.implicit)
        environment.emplace_back("VK_INSTANCE_LAYERS",
                                 join(kLayerName, std::getenv("VK_INSTANCE_LAYERS"), ':'));
}

Environment makeEnvironment(const Options& options, const fs::path& folder) {
    Environment environment;
    addSearchPath(folder, environment);
    environment.emplace_back("COOPVK_ENABLE", "1");
    const std::pair<const char*, std::string> settings[] = {
        {"COOPVK_EMULATE", options.emulate},
        {"COOPVK_LOG_LEVEL", options.logLevel},
        {"COOPVK_LOG_FILE", options.logFile.empty() ? "" : fs::absolute(options.logFile).string()},
        {"COOPVK_DUMP_DIR", options.dumpDir.empty() ? "" : fs::absolute(options.dumpDir).string()},
        {"COOPVK_VALIDATE_OUTPUT", options.validateOutput ? "true" : ""},
    };
    for (const auto& [name, value] : settings) {
        if (!value.empty()) environment.emplace_back(name, value);
    }
    return environment;
}

// For a POSIX shell.
std::string quote(const std::string& text) {
    std::string quoted = "'";
    for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return quoted + "'";
}

int start(const std::vector<std::string>& command) {
    std::vector<char*> arguments;
    for (const std::string& argument : command) {
        arguments.push_back(const_cast<char*>(argument.c_str()));
    }
    arguments.push_back(nullptr);
    execvp(arguments.front(), arguments.data());
    const int error = errno;
    std::cerr << "coopvk: cannot start " << command.front() << ": " << std::strerror(error) << '\n';
    return error == ENOENT ? 127 : 126;  // as a shell would
}

int runRun(const Options& options) {
    if (options.command.empty() && !options.printEnvironment) {
        std::cerr << "coopvk: run what? (coopvk run [options] -- APP [arguments])\n";
        return 1;
    }
    // The layer could only warn of it, which a program may hide.
    std::vector<std::string> complaints;
    layer::EmulatePolicy::parse(options.emulate, complaints);
    if (!complaints.empty()) {
        std::cerr << "coopvk: " << complaints.front() << '\n';
        return 1;
    }
    const auto folder = findManifestFolder();
    if (!folder) {
        std::cerr << "coopvk: the layer's manifest " << kManifest
                  << " is neither in ../share/vulkan/implicit_layer.d nor in ../layer, seen from "
                     "this program's folder\n";
        return 1;
    }
    if (!options.dumpDir.empty()) fs::create_directories(options.dumpDir);
    const Environment environment = makeEnvironment(options, *folder);
    if (options.printEnvironment) {
        std::cout << "unset COOPVK_DISABLE\n";
        for (const auto& [name, value] : environment) {
            std::cout << "export " << name << '=' << quote(value) << '\n';
        }
        return 0;
    }
    unsetenv("COOPVK_DISABLE");
    for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
    return start(options.command);
}

}  // namespace

void addRunCommand(CLI::App& app, int& status) {
    CLI::App* command = app.add_subcommand("run", "Start a program with the layer switched on");
    auto options = std::make_shared<Options>();
    command->add_option("--emulate", options->emulate,
                        "auto (what the driver lacks), all, or Vulkan names of extensions");
    command->add_option("--log-level", options->logLevel)
        ->check(CLI::IsMember({"off", "error", "warn", "info", "debug"}));
    command->add_option("--log-file", options->logFile, "In place of the standard error stream");
    command->add_option("--dump-dir", options->dumpDir,
                        "Write original and rewritten shaders to this folder");
    command->add_flag("--validate-output", options->validateOutput,
                      "Check each rewritten shader with spirv-val");
    command->add_flag("--print-environment", options->printEnvironment,
                      "Print shell commands that set the environment, and start nothing");
    command->add_option("app", options->command, "The program and its arguments, after --");
    command->positionals_at_end();
    command->callback([options, &status] { status = runRun(*options); });
}

}  // namespace coopvk::tool
