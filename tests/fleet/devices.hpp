// SPDX-License-Identifier: Apache-2.0
//
// The fleet: GPUs that Mesa's drivers can be made to see without having them. A preload library
// of Mesa's (Debian: mesa-drm-shim) answers for the kernel; compilers are the real ones.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

namespace coopvk::fleet {

struct Variable {
    const char* name = nullptr;
    const char* value = nullptr;
};

struct Device {
    std::string_view name;                // "navi21"
    std::string_view gpu;                 // what people call it
    std::string_view library;             // that is preloaded
    std::string_view driver;              // file name of the driver's manifest
    std::array<Variable, 3> environment;  // which GPU the library and the driver take for present
    bool isShort;                         // of the short group of tests
};

std::span<const Device> devices();
// nullptr where there is none of that name.
const Device* findDevice(std::string_view name);

// Where the preload library lies; empty where it is not installed. `folders` are separated by
// colons.
std::string findLibrary(std::string_view library, std::string_view folders);
std::string findManifest(std::string_view driver);

}  // namespace coopvk::fleet
