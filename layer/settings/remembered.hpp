// SPDX-License-Identifier: Apache-2.0
//
// What coopvk could not do for a program in its earlier starts, so that it does not offer the
// program the same again. Each program has a file in the folder coopvk/programs of the user's
// cache, with a line for each fault; fields have tabs between them, and are printable:
//
//   REWRITER  FAULT  SHADER  EXTENSIONS  DEVICE  DRIVER  PROGRAM  MESSAGE
//
// A program that runs has a file of its own beside it, ".running", with the shaders on which it
// works: FAULT is "begun" and, once that is done, "ended". The next start finds there what was
// never finished. Faults of other versions of the rewriter and of the driver do not count.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "coopvk/rewrite.hpp"
#include "settings/program_names.hpp"

namespace coopvk::layer {

enum class FaultKind {
    kRefused,     // a valid shader, by the rewriter; or its result, by the driver
    kLost,        // the device, after such shaders were made
    kUnfinished,  // the program ended while its shader was rewritten or compiled
    kBegun,
    kEnded,
};

struct RememberedFault {
    FaultKind kind = FaultKind::kRefused;
    uint64_t shader = 0;  // its name in logs; 0: unknown
    rewrite::ExtensionSet extensions;
    std::string device;
    uint32_t driver = 0;  // driverVersion
    std::string program;  // for people
    std::string message;
};

// Where the faults of a program are remembered; empty where there is no folder for it.
struct ProgramMemory {
    std::string folder, file;
    std::string program;

    bool exists() const { return !folder.empty(); }
    std::string path() const { return folder + "/" + file; }
    // With the file that this process holds: unique among those that run.
    std::string runningPath(uint64_t unique) const;
};
ProgramMemory memoryOf(const ProgramNames& names);

// A line of the file, with its end; a fault of this version from such a line, or nullopt.
std::string lineOf(const RememberedFault& fault);
std::optional<RememberedFault> faultFrom(std::string_view line);

// What earlier starts left, and what those left unfinished that have ended since.
std::vector<RememberedFault> takeFaults(const ProgramMemory& memory);
// Removes the oldest files of the folder, but for this many, and what running processes have.
inline constexpr size_t kMostRemembered = 256;
void keepNewest(const std::string& folder);
// Of all programs, or of those with this name (of the file, without folders). Changes nothing.
std::vector<RememberedFault> allFaults(std::string_view name = {});
struct Forgotten {
    size_t programs = 0;                // how many
    std::vector<std::string> failures;  // "FILE: why it cannot be removed"
};
Forgotten forgetFaults(std::string_view name = {});

bool isOfDevice(const RememberedFault& fault, std::string_view device, uint32_t driver);

// Of a device: what is not to be offered. What was never finished counts from the second time on:
// the first time, somebody may have ended the program.
rewrite::ExtensionSet avoidedExtensions(std::span<const RememberedFault> faults,
                                        std::string_view device, uint32_t driver);
// "shader 0123456789abcdef was refused: MESSAGE"
std::string textOf(const RememberedFault& fault);
// The names of a set, with commas.
std::string namesOf(rewrite::ExtensionSet set);

}  // namespace coopvk::layer
