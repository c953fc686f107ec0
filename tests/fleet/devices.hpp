// SPDX-License-Identifier: Apache-2.0
//
// The fleet: GPUs that Mesa's drivers report although they are not there. A preload library of
// Mesa's (Debian: mesa-drm-shim) answers in place of the kernel; the compilers are the real ones.
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
    // Variables that select the GPU for the library and the driver, and that make the driver report
    // more.
    std::map<std::string, std::string> environment;
    bool isShort = false;  // of the short group of tests
    // How much the driver's spills of one shader differ between runs, if there are any: the largest
    // number that was seen, divided by the smallest, minus 1.
    double spillSpread = 0;
};

// The devices in devices.json.
std::vector<Device> devices();
// Throws if there is none with that name.
Device deviceOf(std::string_view name);

// Paths; empty where there is no such file. `folders` are separated by colons.
std::string findLibrary(std::string_view library, std::string_view folders);
std::string findManifest(std::string_view driver);

}  // namespace coopvk::fleet
