// SPDX-License-Identifier: Apache-2.0
#include "doctor/program.hpp"

#include <elf.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <optional>
#include <span>

#include "doctor/manifests.hpp"
#include "system/tool_system.hpp"

namespace coopvk::tool {
namespace {

namespace fs = std::filesystem;

// The header of an ELF file.
struct Elf {
    unsigned char wordClass = ELFCLASSNONE;
    uint16_t machine = EM_NONE;
    bool hasInterpreter = false;  // ld.so, without which nothing is loaded
};

template <typename T>
bool readAt(std::ifstream& file, std::streamoff offset, T& value) {
    file.seekg(offset);
    return static_cast<bool>(file.read(reinterpret_cast<char*>(&value), sizeof(value)));
}

std::optional<Elf> readElf(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    Elf64_Ehdr header = {};
    if (!readAt(file, 0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) {
        return std::nullopt;
    }
    Elf elf = {header.e_ident[EI_CLASS], header.e_machine, true};
    if (elf.wordClass != ELFCLASS64) return elf;
    elf.hasInterpreter = false;
    for (uint16_t i = 0; i < header.e_phnum; ++i) {
        Elf64_Phdr part = {};
        if (!readAt(file, static_cast<std::streamoff>(header.e_phoff + i * sizeof(part)), part)) {
            break;
        }
        elf.hasInterpreter = elf.hasInterpreter || part.p_type == PT_INTERP;
    }
    return elf;
}

// The line with "#!"; empty if the file is no script.
std::string firstLine(const fs::path& path) {
    std::ifstream file(path);
    std::string line;
    if (file.get() == '#' && file.get() == '!') std::getline(file, line);
    return line.empty() ? "" : "#!" + line;
}

struct Sandbox {
    std::string_view program;  // that starts others in it
    const char* what;
    const char* advice;
};

constexpr Sandbox kSandboxes[] = {
    {"flatpak", "Flatpak's sandboxes do not see this system's layers",
     "give the application a folder and variables: docs/developers/containers.md, Flatpak"},
    {"snap", "Snap's sandboxes do not see this system's layers, and cannot be given any",
     "use another package of the program"},
    {"podman", "containers do not see this system's layers",
     "mount an installation into it, and run its coopvk inside: docs/developers/containers.md, "
     "Containers"},
    {"docker", "containers do not see this system's layers",
     "mount an installation into it, and run its coopvk inside: docs/developers/containers.md, "
     "Containers"},
};

constexpr const char* kSteamAdvice =
    "set COOPVK_ENABLE=1 %command% as the game's launch options, and install into /usr, "
    "/usr/local or ~/.local: docs/use.md, Steam and Proton";

void checkSandbox(const fs::path& program, Findings& findings) {
    const std::string name = program.filename();
    for (const Sandbox& sandbox : kSandboxes) {
        if (name == sandbox.program) findings.push_back({true, sandbox.what, sandbox.advice});
    }
    // Exported applications are links and scripts that call one of the programs above.
    const std::string path = fs::weakly_canonical(program);
    if (program.string().starts_with("/snap/") || path == "/usr/bin/snap" ||
        path.starts_with("/snap/")) {
        if (name != "snap") findings.push_back({true, kSandboxes[1].what, kSandboxes[1].advice});
    } else if (program.string().find("/flatpak/exports/bin/") != std::string::npos) {
        findings.push_back({true, kSandboxes[0].what, kSandboxes[0].advice});
    }
    if (name == "steam" || path.find("/SteamLinuxRuntime") != std::string::npos) {
        findings.push_back({false,
                            "Steam starts games in containers, which include layers from /usr, "
                            "/usr/local and ~/.local, and no others",
                            kSteamAdvice});
    }
}

// The layer for 32-bit programs is another library, with a manifest of its own.
void checkNarrowLayer(const fs::path& program, Findings& findings) {
    const auto manifest = findManifestFor("32", LayerKind::kImplicit);
    if (!manifest) {
        findings.push_back({true, program.string() + " is a 32-bit program, and the layer is not",
                            "install the layer for 32-bit programs (coopvk-i386), or use a 64-bit "
                            "build of the program"});
        return;
    }
    std::cout << "manifest for 32-bit programs: " << manifest->file.string()
              << "\nlibrary for 32-bit programs: " << manifest->library << '\n';
    if (manifest->problem.empty()) return;
    findings.push_back({true,
                        "the layer for 32-bit programs cannot be loaded: " + manifest->problem,
                        "install coopvk-i386 again"});
}

void checkElf(const fs::path& program, const Elf& elf, Findings& findings) {
    const auto own = readElf("/proc/self/exe");
    if (elf.wordClass == ELFCLASS32) {
        checkNarrowLayer(program, findings);
    } else if (own && elf.machine != own->machine) {
        findings.push_back({true, program.string() + " is for another processor than the layer",
                            "use a build of the program, or of coopvk, for the same processor"});
    } else if (!elf.hasInterpreter) {
        findings.push_back({true, program.string() + " is linked statically, and can load no layer",
                            "link it with the system's libvulkan.so.1"});
    }
}

}  // namespace

bool isElevated(const fs::path& program) {
    struct stat info = {};
    if (::stat(program.c_str(), &info) != 0) return false;
    const bool otherUser = (info.st_mode & S_ISUID) != 0 && info.st_uid != ::getuid();
    const bool otherGroup = (info.st_mode & S_ISGID) != 0 && info.st_gid != ::getgid();
    const bool capable =
        ::getuid() != 0 && ::getxattr(program.c_str(), "security.capability", nullptr, 0) > 0;
    return otherUser || otherGroup || capable;
}

void checkProgram(const std::string& name, Findings& findings) {
    const fs::path program = system::findProgram(name);
    if (program.empty()) {
        findings.push_back({true, "there is no program " + name, "name a program that can be run"});
        return;
    }
    if (isElevated(program)) {
        findings.push_back({true,
                            program.string() +
                                " runs with elevated rights (set-uid, set-gid or capabilities), "
                                "and the layer does nothing in such programs",
                            "run a copy of it without these rights"});
    }
    checkSandbox(program, findings);
    if (const auto elf = readElf(program)) {
        checkElf(program, *elf, findings);
    } else if (const std::string line = firstLine(program); !line.empty()) {
        findings.push_back({false,
                            program.string() + " is a script (" + line +
                                "); the program that it starts was not checked",
                            "name the program itself"});
    }
}

}  // namespace coopvk::tool
