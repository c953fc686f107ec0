// SPDX-License-Identifier: Apache-2.0
//
// The fleet: GPUs that Mesa's drivers can be made to see without having them. A preload library
// of Mesa's (Debian: mesa-drm-shim) answers for the kernel; compilers are the real ones.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace coopvk::fleet {

struct Device {
    std::string name;     // "navi21"
    std::string gpu;      // what people call it
    std::string library;  // that is preloaded, without the ending of its file's name
    std::string driver;   // of the driver's manifest, how the file's name begins
    // Which GPU the library and the driver take for present, and what makes the driver tell more.
    std::map<std::string, std::string> environment;
    bool isShort = false;  // of the short group of tests
    // By how much the driver's spills of one shader differ from run to run where there are any: the
    // most that were seen over the least, less 1.
    double spillSpread = 0;
};

// What devices.json has.
std::vector<Device> devices();
// Throws where there is none of that name.
Device deviceOf(std::string_view name);

// Paths; empty where there is no such file. `folders` are separated by colons.
std::string findLibrary(std::string_view library, std::string_view folders);
std::string findManifest(std::string_view driver);

}  // namespace coopvk::fleet
