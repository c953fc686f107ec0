// SPDX-License-Identifier: Apache-2.0
#include "config/program.hpp"

#include <filesystem>

#include "system/tool_system.hpp"

namespace coopvk::tool {

namespace fs = std::filesystem;

layer::ProgramNames namesOf(const std::vector<std::string>& command) {
    layer::ProgramNames names;
    if (command.empty()) return names;
    const fs::path program = system::findProgram(command.front());
    std::error_code error;
    const fs::path file = program.empty() ? fs::path() : fs::canonical(program, error);
    names.exe = (file.empty() ? fs::path(command.front()) : file).filename().string();
    std::string arguments;
    for (const std::string& argument : command) arguments += argument + '\0';
    names.wine = layer::windowsProgram(names.exe, arguments);
    // A Windows program, which the system starts with Wine.
    if (system::kHasWine && names.wine.empty()) {
        names.wine = layer::windowsProgram("wine", command.front());
    }
    return names;
}

}  // namespace coopvk::tool
