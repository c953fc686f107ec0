// SPDX-License-Identifier: Apache-2.0
//
// What each system does in its own way: posix.cpp and windows.cpp. Files are in files.hpp.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace coopvk::layer::system {

// --- The environment -----------------------------------------------------------------------------

// Settings name files to write, so in a program with elevated rights they must not come from the
// caller's environment: there it has no value.
std::optional<std::string> trustedVariable(const char* name);

void setVariable(const std::string& name, const std::string& value);
void unsetVariable(const std::string& name);

// The value, or an empty text. Also in a program with elevated rights.
inline std::string_view variable(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
}

// All of it: NAME=VALUE, and null behind the last one.
const char* const* environment();

// The folders of configuration files, for all users and for this one; empty where the environment
// names none.
std::filesystem::path systemConfigFolder();
std::filesystem::path userConfigFolder();

// The folder for what this user's programs could make again; empty where the environment names
// none, and in programs with elevated rights.
std::filesystem::path userCacheFolder();

// Where the settings library looks for its file before it asks VK_LAYER_SETTINGS_PATH; empty where
// that is no folder.
std::filesystem::path settingsFolder();

// --- The process ---------------------------------------------------------------------------------

int processId();

// The file name of the program, as it was called; under Wine, that of the Windows program.
// Allocates nothing.
std::string_view programName();

// The file of the program, an empty path if that cannot be told.
std::filesystem::path programFile();

// The arguments, with a zero byte after each; empty where names of other programs are not in them.
std::string programArguments();

// Whether the program has other rights than the user who started it.
bool hasElevatedRights();

// A function of a library that the process has loaded already, or null.
void* functionOfLoaded(const char* library, const char* function);

// From now on this library stays in the process, even if the loader unloads it: what it and its C++
// runtime allocate once would be lost each time.
void stayLoaded();

// Copies as much as can be read, up to `size` bytes, and returns how much that is.
size_t copyReadable(const void* source, void* target, size_t size);

// --- Names ---------------------------------------------------------------------------------------

extern const char kListSeparator;        // in lists of paths or layers: ':' or ';'
extern const bool kFileNamesIgnoreCase;  // where names of files are compared
extern const char* const kNoUserFolder;  // what to say where userConfigFolder() is empty

// Whether a name matches a pattern with '*', '?', '[a-z]' and '\', as fnmatch(3) has it.
bool matchesPattern(const std::string& pattern, const std::string& name, bool ignoreCase);

}  // namespace coopvk::layer::system
