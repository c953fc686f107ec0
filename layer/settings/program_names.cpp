// SPDX-License-Identifier: Apache-2.0
#include "settings/program_names.hpp"

#include "system/system.hpp"
#include "system/text.hpp"

namespace coopvk::layer {
namespace {

constexpr std::string_view kWindowsEnding = ".exe";

bool isWindowsProgram(std::string_view name) {
    return name.size() > kWindowsEnding.size() && lowerCase(name).ends_with(kWindowsEnding);
}

std::string fileOfProcess() {
    constexpr std::string_view kDeleted = " (deleted)";  // as the kernel adds
    std::string name = system::programFile().filename().string();
    if (name.empty()) return std::string(system::programName());
    if (name.ends_with(kDeleted)) name.resize(name.size() - kDeleted.size());
    return name;
}

std::string textOf(const char* text) { return text == nullptr ? "" : text; }

}  // namespace

std::string windowsProgram(std::string_view exe, std::string_view arguments) {
    // wine, wine64, wine-preloader, wine64-preloader
    if (!exe.starts_with("wine")) return {};
    while (!arguments.empty()) {
        const std::string_view argument = takeUntil('\0', arguments);
        const std::string_view name = argument.substr(argument.find_last_of("/\\") + 1);
        if (isWindowsProgram(name)) return std::string(name);
    }
    return {};
}

ProgramNames programNames(const VkInstanceCreateInfo* info) {
    ProgramNames names;
    names.exe = fileOfProcess();
    names.wine = windowsProgram(names.exe, system::programArguments());
    const VkApplicationInfo* application = info == nullptr ? nullptr : info->pApplicationInfo;
    if (application != nullptr) {
        names.engine = textOf(application->pEngineName);
        names.application = textOf(application->pApplicationName);
    }
    return names;
}

}  // namespace coopvk::layer
