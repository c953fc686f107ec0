// SPDX-License-Identifier: Apache-2.0
//
// The names of a program by which sections of the configuration are matched.
#pragma once

#include <vulkan/vulkan.h>

#include <string>
#include <string_view>

namespace coopvk::layer {

struct ProgramNames {
    std::string exe;                  // the file of the process, without folders
    std::string wine;                 // the Windows program that Wine runs: "game.exe", or empty
    std::string engine, application;  // of VkApplicationInfo
};

// Of this process. `info` may be null.
ProgramNames programNames(const VkInstanceCreateInfo* info);

// The Windows program that a process with the file `exe` runs, or an empty name. `arguments` are
// those of the process, with a zero byte after each, as in /proc/self/cmdline.
std::string windowsProgram(std::string_view exe, std::string_view arguments);

}  // namespace coopvk::layer
