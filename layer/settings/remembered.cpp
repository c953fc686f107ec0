// SPDX-License-Identifier: Apache-2.0
#include "settings/remembered.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <ranges>
#include <tuple>

#include "system/files.hpp"
#include "system/hash.hpp"
#include "system/system.hpp"
#include "system/text.hpp"

namespace coopvk::layer {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxText = size_t{256} << 10;  // bytes of a file that are read
constexpr ptrdiff_t kEnough = 2;  // as often must a shader not have been finished, to count
constexpr std::string_view kRunning = ".running";

fs::path programsFolder() {
    const fs::path cache = system::userCacheFolder();
    return cache.empty() ? fs::path() : cache / "coopvk" / "programs";
}

// Letters of names that are safe in names of files.
std::string safeName(std::string name) {
    constexpr std::string_view kPlain =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
    std::ranges::replace_if(name, [&](char c) { return kPlain.find(c) == kPlain.npos; }, '_');
    if (name.empty() || name.front() == '.') name.insert(name.begin(), '_');
    return name.substr(0, 64);
}

// A name of a file of the folder: "NAME-0123456789abcdef", and in a process's file
// ".running-0123456789abcdef" behind it.
struct FileName {
    std::string_view program;  // NAME; empty: it is none of coopvk's
    bool isRunning;
};

// Without the hyphen and the digits at the end of a name; empty, if it has none.
std::string_view withoutHash(std::string_view name) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    const size_t hyphen = name.rfind('-');
    const bool isHash = hyphen != name.npos && name.size() - hyphen == kDigits.size() + 1 &&
                        name.find_first_not_of(kDigits, hyphen + 1) == name.npos;
    return isHash ? name.substr(0, hyphen) : std::string_view();
}

FileName parsed(std::string_view file) {
    std::string_view whole = withoutHash(file);
    if (whole.ends_with(kRunning)) {
        const std::string_view program =
            withoutHash(whole.substr(0, whole.size() - kRunning.size()));
        if (!program.empty()) return {program, true};
    }
    return {whole, false};
}

// An empty name is that of all programs.
bool isOf(const FileName& file, std::string_view name) {
    return !file.program.empty() && (name.empty() || file.program == safeName(std::string(name)));
}

void addFaults(std::string_view text, std::vector<RememberedFault>& faults) {
    while (!text.empty())
        if (auto fault = faultFrom(takeUntil('\n', text))) faults.push_back(std::move(*fault));
}

// What was begun and not ended.
std::vector<RememberedFault> withoutEnds(const std::vector<RememberedFault>& lines) {
    std::vector<RememberedFault> faults;
    for (const RememberedFault& line : lines) {
        if (line.kind != FaultKind::kEnded) {
            faults.push_back(line);
            continue;
        }
        const auto begun = std::ranges::find_if(faults, [&](const RememberedFault& fault) {
            return fault.kind == FaultKind::kBegun && fault.shader == line.shader;
        });
        if (begun != faults.end()) faults.erase(begun);
    }
    for (RememberedFault& fault : faults)
        if (fault.kind == FaultKind::kBegun) fault.kind = FaultKind::kUnfinished;
    return faults;
}

// Calls visit(path, name of the file).
template <typename Visit>
void eachFile(const fs::path& folder, const Visit& visit) {
    for (const std::string& name : namesInFolder(folder.string()))
        visit((folder / name).string(), name);
}

bool isSame(const RememberedFault& a, const RememberedFault& b) {
    return std::tie(a.kind, a.shader, a.device, a.driver) ==
           std::tie(b.kind, b.shader, b.device, b.driver);
}

ptrdiff_t count(std::span<const RememberedFault> faults, const RememberedFault& fault) {
    return std::ranges::count_if(
        faults, [&](const RememberedFault& other) { return isSame(fault, other); });
}

// What processes that have ended left, each once.
std::vector<RememberedFault> takeRunning(const ProgramMemory& memory) {
    std::vector<RememberedFault> left;
    const std::string running = memory.file + std::string(kRunning);
    eachFile(memory.folder, [&](const std::string& path, const std::string& file) {
        if (!file.starts_with(running)) return;
        std::vector<RememberedFault> lines;
        addFaults(takeAbandonedFile(path, kMaxText).value_or(""), lines);
        for (RememberedFault& fault : withoutEnds(lines))
            if (count(left, fault) == 0) left.push_back(std::move(fault));
    });
    return left;
}

// An AppImage is mounted in another folder at each start.
std::string stablePath(const std::string& path) {
    const std::string_view mount = system::variable("APPDIR"), image = system::variable("APPIMAGE");
    const bool isInside = !mount.empty() && !image.empty() && path.starts_with(mount) &&
                          path.substr(mount.size()).starts_with('/');
    return isInside ? std::string(image) + path.substr(mount.size()) : path;
}

}  // namespace

std::string ProgramMemory::runningPath(uint64_t unique) const {
    return path() + std::string(kRunning) + "-" + hexName(unique);
}

ProgramMemory memoryOf(const ProgramNames& names) {
    ProgramMemory memory;
    const fs::path folder = programsFolder();
    if (folder.empty()) return memory;
    uint64_t hash = kFnvStart;
    const std::string path = stablePath(system::programFile().string());
    for (const std::string* text : {&path, &names.wine, &names.application}) {
        hash = fnv1a(std::as_bytes(std::span(*text)), hash);
        hash = fnv1a(std::as_bytes(std::span("/", 1)), hash);
    }
    memory.folder = folder.string();
    memory.program = names.wine.empty() ? names.exe : names.wine;
    memory.file = safeName(memory.program) + "-" + hexName(hash);
    if (!names.application.empty()) memory.program += " (" + names.application + ")";
    return memory;
}

std::vector<RememberedFault> takeFaults(const ProgramMemory& memory) {
    std::vector<RememberedFault> faults, added;
    if (!memory.exists()) return faults;
    const std::string text = readOwnFile(memory.path(), kMaxText).value_or("");
    addFaults(text, faults);
    // Full of what other versions wrote: only what counts is written again.
    std::error_code error;
    if (text.size() == kMaxText && fs::remove(memory.path(), error)) added = faults;
    // Of several threads and processes that ended at once, each shader counts once.
    for (RememberedFault& fault : takeRunning(memory)) {
        if (count(faults, fault) >= kEnough) continue;
        added.push_back(fault);
        faults.push_back(std::move(fault));
    }
    if (added.empty()) return faults;
    if (const auto file = openForAppending(memory.path(), IfMissing::kCreate)) {
        for (const RememberedFault& fault : added) {
            const std::string line = lineOf(fault);
            const std::array whole = {std::string_view(line)};
            writePieces(file->number(), whole);
        }
    }
    return faults;
}

void keepNewest(const std::string& folder) {
    struct File {
        fs::file_time_type time;
        std::string path;
        bool isRunning;
    };
    std::vector<File> files;
    eachFile(folder, [&](const std::string& path, const std::string& file) {
        const FileName names = parsed(file);
        std::error_code error;
        if (!names.program.empty())
            files.push_back({fs::last_write_time(path, error), path, names.isRunning});
    });
    std::ranges::sort(files, std::ranges::greater{}, &File::time);
    for (const File& file : files | std::views::drop(kMostRemembered)) {
        std::error_code error;
        if (file.isRunning)
            takeAbandonedFile(file.path, 0);
        else
            fs::remove(file.path, error);
    }
}

std::vector<RememberedFault> allFaults(std::string_view name) {
    std::vector<RememberedFault> faults;
    eachFile(programsFolder(), [&](const std::string& path, const std::string& file) {
        const FileName names = parsed(file);
        if (isOf(names, name) && !names.isRunning)
            addFaults(readOwnFile(path, kMaxText).value_or(""), faults);
    });
    return faults;
}

Forgotten forgetFaults(std::string_view name) {
    Forgotten forgotten;
    eachFile(programsFolder(), [&](const std::string& path, const std::string& file) {
        const FileName names = parsed(file);
        if (!isOf(names, name)) return;
        if (names.isRunning) {
            takeAbandonedFile(path, 0);
            return;
        }
        std::error_code error;
        if (fs::remove(path, error))
            ++forgotten.programs;
        else if (error)
            forgotten.failures.push_back(path + ": " + error.message());
    });
    return forgotten;
}

rewrite::ExtensionSet avoidedExtensions(std::span<const RememberedFault> faults,
                                        std::string_view device, uint32_t driver) {
    rewrite::ExtensionSet avoided;
    for (const RememberedFault& fault : faults) {
        if (!isOfDevice(fault, device, driver)) continue;
        if (fault.kind == FaultKind::kUnfinished && count(faults, fault) < kEnough) continue;
        for (const rewrite::ExtensionInfo& info : rewrite::extensionTable())
            if (fault.extensions.contains(info.extension)) avoided.insert(info.extension);
    }
    return avoided;
}

}  // namespace coopvk::layer
