// SPDX-License-Identifier: Apache-2.0
#include "settings/remembered.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>

#include "system/files.hpp"
#include "system/hash.hpp"
#include "system/system.hpp"
#include "system/text.hpp"

namespace coopvk::layer {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxText = size_t{256} << 10;  // bytes of a file that are read
constexpr size_t kMaxField = 500;               // characters of a name or a message
constexpr std::string_view kRunning = ".running";
constexpr std::string_view kKinds[] = {"refused", "lost", "unfinished", "begun", "ended"};

// What a file contains is shown, and separators end a field.
std::string plain(std::string_view text) {
    std::string result(text.substr(0, kMaxField));
    std::ranges::replace_if(result, isControl, ' ');
    return result;
}

template <typename T>
bool readNumber(std::string_view text, T& value, int base) {
    const char* end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data(), end, value, base);
    return parsed.ec == std::errc() && parsed.ptr == end;
}

fs::path programsFolder() {
    const fs::path cache = system::userCacheFolder();
    return cache.empty() ? fs::path() : cache / "coopvk" / "programs";
}

// Letters of names that are safe in names of files.
std::string fileName(const ProgramNames& names, uint64_t hash) {
    std::string name = names.wine.empty() ? names.exe : names.wine;
    const auto isPlain = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '-' || c == '_' || c == '.';
    };
    std::ranges::replace_if(name, [&](char c) { return !isPlain(c); }, '_');
    if (name.empty() || name.front() == '.') name.insert(name.begin(), '_');
    return name.substr(0, 64) + "-" + hexName(hash);
}

// The name of a program in that of its file: what is before the 16 digits and the hyphen.
std::string_view programIn(std::string_view file) {
    file = file.substr(0, file.find(kRunning));
    const size_t hyphen = file.rfind('-');
    return hyphen == std::string_view::npos ? std::string_view() : file.substr(0, hyphen);
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

bool isRunning(std::string_view file) { return file.find(kRunning) != file.npos; }

}  // namespace

std::string ProgramMemory::runningPath(uint64_t unique) const {
    return path() + std::string(kRunning) + "-" + hexName(unique);
}

ProgramMemory memoryOf(const ProgramNames& names) {
    ProgramMemory memory;
    const fs::path folder = programsFolder();
    if (folder.empty()) return memory;
    uint64_t hash = kFnvStart;
    const std::string path = system::programFile().string();
    for (const std::string* text : {&path, &names.wine, &names.application}) {
        hash = fnv1a(std::as_bytes(std::span(*text)), hash);
        hash = fnv1a(std::as_bytes(std::span("/", 1)), hash);
    }
    memory.folder = folder.string();
    memory.file = fileName(names, hash);
    memory.program = names.wine.empty() ? names.exe : names.wine;
    if (!names.application.empty()) memory.program += " (" + names.application + ")";
    return memory;
}

std::string lineOf(const RememberedFault& fault) {
    std::string line(rewrite::version());
    for (const std::string& field :
         {std::string(kKinds[static_cast<size_t>(fault.kind)]), hexName(fault.shader),
          namesOf(fault.extensions), plain(fault.device), std::to_string(fault.driver),
          plain(fault.program), plain(fault.message)}) {
        line += '\t';
        line += field;
    }
    return line + '\n';
}

std::optional<RememberedFault> faultFrom(std::string_view line) {
    std::array<std::string_view, 8> fields;
    for (std::string_view& field : fields) field = takeUntil('\t', line);
    if (fields[0] != rewrite::version()) return std::nullopt;
    const auto* const kind = std::ranges::find(kKinds, fields[1]);
    RememberedFault fault;
    if (kind == std::end(kKinds) || !readNumber(fields[2], fault.shader, 16) ||
        !readNumber(fields[5], fault.driver, 10)) {
        return std::nullopt;
    }
    fault.kind = static_cast<FaultKind>(kind - kKinds);
    while (!fields[3].empty()) {
        const auto extension = rewrite::extensionFromVulkanName(takeUntil(',', fields[3]));
        if (extension) fault.extensions.insert(*extension);
    }
    fault.device = plain(fields[4]);
    fault.program = plain(fields[6]);
    fault.message = plain(fields[7]);
    return fault;
}

std::vector<RememberedFault> takeFaults(const ProgramMemory& memory) {
    std::vector<RememberedFault> faults, left;
    if (!memory.exists()) return faults;
    addFaults(readOwnFile(memory.path(), kMaxText).value_or(""), faults);
    const std::string running = memory.file + std::string(kRunning);
    eachFile(memory.folder, [&](const std::string& path, const std::string& file) {
        if (!file.starts_with(running)) return;
        std::vector<RememberedFault> lines;
        addFaults(takeAbandonedFile(path, kMaxText).value_or(""), lines);
        for (RememberedFault& fault : withoutEnds(lines)) left.push_back(std::move(fault));
    });
    if (left.empty()) return faults;
    if (const auto file = openForAppending(memory.path(), IfMissing::kCreate)) {
        for (const RememberedFault& fault : left) {
            const std::string line = lineOf(fault);
            const std::string_view whole = line;
            writePieces(file->number(), {&whole, 1});
        }
    }
    faults.insert(faults.end(), left.begin(), left.end());
    return faults;
}

std::vector<RememberedFault> allFaults(std::string_view name) {
    std::vector<RememberedFault> faults;
    eachFile(programsFolder(), [&](const std::string& path, const std::string& file) {
        if (isRunning(file) || (!name.empty() && programIn(file) != name)) return;
        addFaults(readOwnFile(path, kMaxText).value_or(""), faults);
    });
    return faults;
}

size_t forgetFaults(std::string_view name) {
    size_t count = 0;
    eachFile(programsFolder(), [&](const std::string& path, const std::string& file) {
        if (!name.empty() && programIn(file) != name) return;
        if (isRunning(file)) {
            takeAbandonedFile(path, 0);
            return;
        }
        std::error_code error;
        count += fs::remove(path, error) ? 1 : 0;
    });
    return count;
}

rewrite::ExtensionSet avoidedExtensions(std::span<const RememberedFault> faults,
                                        std::string_view device, uint32_t driver) {
    rewrite::ExtensionSet avoided;
    for (const RememberedFault& fault : faults) {
        if (fault.device != device || fault.driver != driver) continue;
        const auto isSame = [&](const RememberedFault& other) {
            return other.kind == fault.kind && other.shader == fault.shader;
        };
        if (fault.kind == FaultKind::kUnfinished && std::ranges::count_if(faults, isSame) < 2)
            continue;
        for (const rewrite::ExtensionInfo& info : rewrite::extensionTable())
            if (fault.extensions.contains(info.extension)) avoided.insert(info.extension);
    }
    return avoided;
}

std::string textOf(const RememberedFault& fault) {
    const std::string shader = "shader " + hexName(fault.shader);
    switch (fault.kind) {
        case FaultKind::kRefused:
            return shader + " was refused: " + fault.message;
        case FaultKind::kLost:
            return "the device was lost: " + fault.message;
        default:
            return shader + " was not finished when the program ended";
    }
}

std::string namesOf(rewrite::ExtensionSet set) {
    std::string names;
    for (const rewrite::ExtensionInfo& info : rewrite::extensionTable()) {
        if (!set.contains(info.extension)) continue;
        if (!names.empty()) names += ',';
        names += info.vulkanName;
    }
    return names;
}

}  // namespace coopvk::layer
