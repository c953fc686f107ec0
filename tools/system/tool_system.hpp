// SPDX-License-Identifier: Apache-2.0
//
// What each system does in its own way, besides the layer's: posix.cpp and windows.cpp. Programs
// are started by ../supervisor.hpp, too.
#pragma once

#include <cstddef>
#include <filesystem>
#include <format>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "layer_location.hpp"

namespace coopvk::tool::system {

extern const bool kHasWine;                 // Windows programs run in it
extern const char* const kLoaderLibrary;    // "libvulkan.so.1"
extern const char* const kManifestFolders;  // manifestFolders() in words

// Where the layer's manifest lies, seen from the tool's own file: of an installation, of a build.
std::vector<std::filesystem::path> manifestFolders(const std::filesystem::path& program);

// Tells the loader of a manifest where it must be told, or no more. Returns what went wrong.
std::string registerManifest(const std::filesystem::path& manifest, bool forAllUsers);
std::string unregisterManifest(const std::filesystem::path& manifest, bool forAllUsers);

// Where a shell would find it; empty if nowhere.
std::filesystem::path findProgram(const std::string& name);

extern const char* const kCudaLibrary;  // of NVIDIA's driver: "libcuda.so.1"
// Null: there is none, or it cannot be loaded. It stays loaded.
void* loadLibrary(const char* name);
void* functionOf(void* library, const char* name);

// A new file of this user's alone; empty if there can be none.
std::string makeTemporaryFile();

// Opens a file or a folder as the desktop does.
std::vector<std::string> showCommand(const std::filesystem::path& path);

// Lines for a shell.
std::string setCommand(const std::string& name, const std::string& value);
std::string unsetCommand(const std::string& name);

// How programs crash, and what a handler of these signals may call.
std::span<const int> crashSignals();
void writeToErrorStream(std::string_view text) noexcept;

// Whether somebody types the standard input.
bool readsTerminal();
// Whether somebody reads the standard output as it comes.
bool writesTerminal();
// How many columns the standard output has; 0: it is no terminal.
size_t terminalColumns();

// A ProcessEnd's failure.
inline std::string noEndWithin(double seconds) {
    return std::format("no end within {:g} s", seconds);
}

struct ProcessEnd {
    int error = 0;        // errno, where it could not be started
    std::string failure;  // "status 1" or "signal 11"; empty if it ended well
};

// Runs a program with nothing to read, and both output streams behind the end of a file. `set` and
// `unset` change the environment. After so many seconds, it is ended; 0: never.
ProcessEnd runIntoFile(const std::vector<std::string>& command, const Environment& set,
                       const std::vector<std::string>& unset, const std::string& output,
                       double limit);

}  // namespace coopvk::tool::system
