// SPDX-License-Identifier: Apache-2.0
//
// What tests take from POSIX; the build includes it in front of each of their files.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <string>

extern "C" __declspec(dllimport) int __stdcall SetEnvironmentVariableA(const char*, const char*);

inline int unsetenv(const char* name) { return _putenv((std::string(name) + "=").c_str()); }

// With an empty value, the C library would have the variable no more, but Windows can.
inline int setenv(const char* name, const char* value, int) {
    const int result = _putenv((std::string(name) + "=" + value).c_str());
    if (*value == '\0') SetEnvironmentVariableA(name, value);
    return result;
}
inline int setenv(const char* name, const wchar_t* path, int overwrite) {
    return setenv(name, std::filesystem::path(path).string().c_str(), overwrite);
}
