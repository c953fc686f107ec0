// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vulkan/vulkan.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "settings/configuration.hpp"
#include "settings/emulate_policy.hpp"
#include "settings/log_level.hpp"
#include "settings/names.hpp"
#include "settings/program_names.hpp"
#include "settings/shown_ids.hpp"
#include "settings/taken_for.hpp"

namespace coopvk::layer {

// Of how many dispatches of each rewritten shader the inputs are kept, and of how many bytes each.
struct DumpedInputs {
    uint64_t bytes = 0;  // 0: none
    uint32_t dispatches = 1;
};

inline constexpr std::string_view kOwnReport = "1";  // each process has a folder of its own

struct Settings {
    EmulatePolicy emulate;
    rewrite::BackEnd backEnd = rewrite::BackEnd::kAuto;
    rewrite::ElementLayout elementLayout = rewrite::ElementLayout::kAuto;
    bool namesLayout = false;  // elementLayout is no default
    // Of the program, for kAuto: rewrite::Target::programLayout.
    rewrite::ElementLayout programLayout = rewrite::ElementLayout::kAuto;
    const TakenFor* as = nullptr;  // what programs take every device for; null: for what it is
    rewrite::Numerics numerics = rewrite::Numerics::kFast;
    LogLevel logLevel = LogLevel::kWarn;
    std::string logFile;
    std::string dumpDir;
    DumpedInputs dumpInputs;
    bool lines = false;
    bool validateOutput = false;
    uint64_t rewriteLimit = rewrite::kMaxSteps;  // rewrite::Request::maxSteps
    bool remember = true;                        // see remembered.hpp
    bool readsProfile = true;                    // of `coopvk tune`
    rewrite::MatrixTuning tuning;                // in place of a profile's
    DeviceIds shownIds;
    std::string statistics;  // empty: off; "1": to the log's file; else a file of their own
    std::string report;      // empty: none; kOwnReport; else a folder. See kept_report.hpp

    std::string emulateText = "auto";  // what `emulate` was read from
};

// Sources, from the strongest to the weakest: COOPVK_<NAME>, VK_COOPVK_EMULATION_<NAME>, the user's
// coopvk.conf, the system's (configuration.hpp), the settings file of the settings library,
// VkLayerSettingsCreateInfoEXT. `complaints` gets a line for each unknown name and each wrong
// value. Not for programs with elevated rights: see pass_through.hpp.
Settings loadSettings(const VkInstanceCreateInfo* createInfo, std::vector<std::string>& complaints);

// A setting's text and where it comes from: a variable, "FILE:LINE", "vk_layer_settings.txt" or
// "default".
struct SettingFound {
    std::string text, origin;
};
// The settings of a program with this configuration, in the settings' order, as far as this
// environment determines them.
std::vector<SettingFound> explainSettings(const ConfiguredSettings& configured);

// What is wrong with the value of a setting, a line for each mistake. An empty value, which means
// the default, has none.
std::vector<std::string> checkSetting(std::string_view key, std::string_view value);

// Settings::programLayout, for a program with these names.
rewrite::ElementLayout layoutOf(const ProgramNames& names);

// "auto", "core" or "native".
std::string_view backEndName(rewrite::BackEnd backEnd);

// "64M", "64M,10": bytes; dispatches.
std::optional<DumpedInputs> dumpedInputsFromText(std::string_view text);

// A number, with K, M or G for thousands, millions, thousands of millions.
std::optional<uint64_t> stepsFromText(std::string_view text);

// "1", "true", "0" and "false", in upper or lower case.
std::optional<bool> booleanFromText(std::string_view text);

}  // namespace coopvk::layer
