// SPDX-License-Identifier: Apache-2.0
//
// `coopvk doctor`: says whether the loader would find the layer for a program and switch it on; if
// not, why, and what to do.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <volk.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "commands.hpp"
#include "config/program.hpp"
#include "doctor/faults.hpp"
#include "doctor/manifests.hpp"
#include "doctor/misspelt.hpp"
#include "doctor/program.hpp"
#include "doctor/sections.hpp"
#include "doctor/switches.hpp"
#include "doctor/tuning.hpp"
#include "gpu_setup/no_driver.hpp"
#include "layer_location.hpp"
#include "parse.hpp"
#include "report/run_report.hpp"
#include "settings/asked_for.hpp"

namespace coopvk::tool {
namespace {

namespace fs = std::filesystem;

struct DoctorOptions {
    std::vector<std::string> command;
};

void sayNoManifest(LayerKind kind, Findings& findings) {
    std::string what = "the loader finds no manifest of the layer; it looks in";
    for (const fs::path& path : layerPaths(kind)) what += "\n      " + path.string();
    const auto own = findManifestFolder();
    findings.push_back(
        {true, what,
         own ? "start programs with coopvk run, or set VK_ADD_IMPLICIT_LAYER_PATH=" + own->string()
             : "install coopvk into /usr/local or ~/.local, or its package"});
}

// Returns whether the manifest that the loader uses, if there is one, lets the configuration
// decide.
bool checkManifests(LayerKind kind, Findings& findings) {
    const auto found = findManifests(kind, findings);
    if (found.empty()) {
        sayNoManifest(kind, findings);
        return false;
    }
    const FoundManifest& first = found.front();
    std::cout << "manifest: " << first.file.string() << "\nlibrary: " << first.library << '\n';
    if (!first.problem.empty()) {
        findings.push_back(
            {true, "the layer's library cannot be loaded: " + first.problem,
             "install coopvk again; in another system's container it needs glibc 2.36 or newer"});
    }
    for (size_t i = 1; i < found.size(); ++i) {
        if (first.byConfiguration && !found[i].byConfiguration) continue;  // which it is for
        findings.push_back(
            {false,
             found[i].file.string() + " is another manifest of the layer, which the loader ignores",
             "uninstall one of the two"});
    }
    return first.byConfiguration;
}

struct Surroundings {
    const char* file;      // there is one, or
    const char* variable;  // it is set
    const char* what;
    const char* advice;
    bool isContainer = false;
};
constexpr Surroundings kSurroundings[] = {
    {"/.flatpak-info", nullptr, "this is inside a Flatpak sandbox",
     "docs/developers/containers.md, Flatpak, says how its programs get the layer"},
    {nullptr, "SNAP", "this is inside a Snap sandbox, which does not see the system's layers",
     "use another package of the program"},
    {"/run/pressure-vessel", nullptr, "this is inside a container of the Steam runtime",
     "docs/use.md, Steam and Proton, says how games get the layer"},
    {"/.dockerenv", nullptr, "this is inside a container", "install coopvk in it", true},
    {"/run/.containerenv", nullptr, "this is inside a container", "install coopvk in it", true},
};

// In a container, coopvk may be installed as anywhere else.
void checkSurroundings(bool isInstalled, Findings& findings) {
    std::error_code error;
    for (const Surroundings& row : kSurroundings) {
        if (row.isContainer && isInstalled) continue;
        const bool here = row.file != nullptr ? fs::exists(row.file, error)
                                              : std::getenv(row.variable) != nullptr;
        if (here) findings.push_back({false, row.what, row.advice});
    }
}

// In a child process: what the loader really does in this environment. The layer reports to `file`.
[[noreturn]] void makeInstance(int file, bool byConfiguration) {
    // What the configuration says for this process does not matter.
    if (byConfiguration) ::setenv(layer::kEnableVariable, "1", 1);
    const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    ::dup2(nowhere, STDERR_FILENO);
    ::dup2(nowhere, STDOUT_FILENO);
    const std::string path = "/proc/self/fd/" + std::to_string(file);
    ::setenv(layer::kRunReportVariable, path.c_str(), 1);
    VkInstanceCreateInfo info = {VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
    VkInstance instance = VK_NULL_HANDLE;
    if (volkInitialize() != VK_SUCCESS) ::_exit(2);
    ::_exit(vkCreateInstance(&info, nullptr, &instance) == VK_SUCCESS ? 0 : 3);
}

// Whether the loader loaded the layer, apart from what the environment says.
bool tryLoader(bool byConfiguration, Findings& findings) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return false;
    const pid_t child = ::fork();
    if (child == 0) makeInstance(ends[1], byConfiguration);
    ::close(ends[1]);
    std::string text;
    char buffer[512];
    for (ssize_t got = 0; (got = ::read(ends[0], buffer, sizeof(buffer))) > 0;) {
        text.append(buffer, static_cast<size_t>(got));
    }
    ::close(ends[0]);
    int status = 0;
    ::waitpid(child, &status, 0);
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 4;
    if (code == 2) {
        findings.push_back({true, "there is no Vulkan loader (libvulkan.so.1)",
                            "install it: libvulkan1, vulkan-loader or vulkan-icd-loader"});
    } else if (code != 0) {
        const auto [what, advice] = vulkan::noDriver();
        findings.push_back({true, what, advice});
    }
    return text.starts_with(layer::run_event::kInstance);
}

bool print(const Findings& findings) {
    bool isOff = false;
    for (const Finding& finding : findings) {
        std::cout << (finding.keepsOff ? "problem: " : "note: ") << finding.what
                  << "\n  do: " << finding.advice << '\n';
        isOff = isOff || finding.keepsOff;
    }
    return isOff;
}

int runDoctor(const DoctorOptions& options) {
    Findings findings;
    Findings unused;
    const bool implicit = !layer::isNamed() || !findManifests(LayerKind::kImplicit, unused).empty();
    const LayerKind kind = implicit ? LayerKind::kImplicit : LayerKind::kExplicit;
    const bool byConfiguration = checkManifests(kind, findings);
    checkSwitches(implicit, checkConfiguration(options.command, byConfiguration, findings),
                  findings);
    checkSurroundings(!findManifests(kind, unused).empty(), findings);
    const bool came = tryLoader(byConfiguration, findings);
    if (!options.command.empty()) checkProgram(options.command.front(), findings);
    checkFaults(namesOf(options.command), findings);
    checkTuning(findings);
    checkSpelling(findings);
    bool isOff = print(findings);
    if (!came && !isOff) {
        std::cout << "problem: the loader does not load the layer\n  do: "
                     "VK_LOADER_DEBUG=layer,error,warn vulkaninfo --summary says why\n";
        isOff = true;
    }
    const std::string name = options.command.empty() ? "programs" : options.command.front();
    std::cout << "The layer is " << (isOff ? "off" : "on") << " in " << name
              << (options.command.empty() ? " that start in this environment.\n" : ".\n");
    if (!isOff)
        std::cout << '`' << commandName()
                  << " info --short` says what it adds, and to which device.\n";
    return isOff ? 1 : 0;
}

}  // namespace

void addDoctorCommand(CLI::App& app, int& status) {
    CLI::App* command = app.add_subcommand(
        "doctor",
        "Say whether the loader switches the layer on for a program, and what to do if not");
    auto options = std::make_shared<DoctorOptions>();
    command->add_option("app", options->command, "The program and its arguments, after --");
    command->positionals_at_end();
    startsProgram(*command, true);
    command->callback([options, &status] { status = runDoctor(*options); });
}

}  // namespace coopvk::tool
