// SPDX-License-Identifier: Apache-2.0
#include "passed_on.hpp"

#include <cstring>
#include <filesystem>
#include <iostream>

#include "commands.hpp"
#include "supervisor.hpp"
#include "system/system.hpp"
#include "system/tool_system.hpp"

namespace coopvk::tool {
namespace {

namespace fs = std::filesystem;

constexpr const char* kProgram = "coopvk-compare";

struct PassedOn {
    std::string_view name, description;
    std::vector<std::string> arguments;  // of coopvk-compare, before the user's
};

const PassedOn kCommands[] = {
    {"check",
     "Execute one module natively and rewritten on the reference device, and say where they part",
     {"check"}},
    {"prove", "Show that a rewritten module is right for all contents of memory", {"prove"}},
    {"selftest",
     "Compare a sample of what coopvk does on a device with a reference, and measure its speed",
     {"selftest"}},
    {"tune",
     "Measure which of the rewriter's choices are the fastest on a device, for the layer",
     {"tune"}},
    {"probe", "Read which invocation holds which element of a driver's matrices", {"probe"}},
    {"compare",
     "Compare a driver's own matrices or vectors with coopvk's and with a reference",
     {}},
};

// Beside this program, or where a shell would find it.
fs::path findCompare() {
    const fs::path own = layer::system::programFile();
    const fs::path beside = own.parent_path() / (kProgram + own.extension().string());
    std::error_code error;
    return fs::exists(beside, error) ? beside : system::findProgram(kProgram);
}

}  // namespace

void addPassedOnCommands(CLI::App& app) {
    for (const PassedOn& command : kCommands)
        app.add_subcommand(std::string(command.name), std::string(command.description));
}

std::optional<int> passOn(int argc, char** argv) {
    if (argc < 2) return std::nullopt;
    const auto* const found = std::ranges::find(kCommands, argv[1], &PassedOn::name);
    if (found == std::end(kCommands)) return std::nullopt;
    const fs::path program = findCompare();
    if (program.empty()) {
        std::cerr << "coopvk: there is no " << kProgram << " here; the package " << kProgram
                  << " has it\n";
        return kCouldNotRun;
    }
    std::vector<std::string> command = {program.string()};
    command.insert(command.end(), found->arguments.begin(), found->arguments.end());
    command.insert(command.end(), argv + 2, argv + argc);
    const int error = replaceBy(command);
    std::cerr << "coopvk: cannot start " << program.string() << ": " << std::strerror(error)
              << '\n';
    return kCouldNotRun;
}

}  // namespace coopvk::tool
