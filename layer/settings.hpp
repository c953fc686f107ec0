// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vulkan/vulkan.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "log.hpp"
#include "names.hpp"
#include "policy.hpp"

namespace coopvk::layer {

struct Settings {
    EmulatePolicy emulate;
    rewrite::BackEnd backEnd = rewrite::BackEnd::kAuto;
    LogLevel logLevel = LogLevel::kWarn;
    std::string logFile;
    std::string dumpDir;
    bool validateOutput = false;
    std::string statistics;  // empty: off; "1": to the log's file; else a file of their own

    // One text for the settings that change what the rewriter puts out.
    std::string emulateText = "auto";
};

// In falling order of precedence: COOPVK_<NAME>, the environment variables and the settings file
// of the settings library, VkLayerSettingsCreateInfoEXT. `complaints` gets a line for each thing
// that was not understood, names of settings among them. Not for programs with elevated rights: see
// pass_through.hpp.
Settings loadSettings(const VkInstanceCreateInfo* createInfo, std::vector<std::string>& complaints);

// "auto", "core" or "native".
std::string_view backEndName(rewrite::BackEnd backEnd);

// "1", "true", "0" and "false", in letters of either size.
std::optional<bool> booleanFromText(std::string_view text);

}  // namespace coopvk::layer
