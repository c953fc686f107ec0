// SPDX-License-Identifier: Apache-2.0
//
// What `coopvk tune` measured of a device: a profile, which is a file of JSON in the user's folder
// of configuration files. It holds for one device, one version of its driver and one of coopvk.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "coopvk/rewrite.hpp"

namespace coopvk::layer {

struct DeviceFacts;
struct Settings;

struct DeviceTuning {
    rewrite::MatrixTuning choices;
    std::string origin;   // "the setting tuning", or the profile's path; empty: there is none
    std::string ignored;  // why a profile that is there is not used
};

inline constexpr std::string_view kTuningKey = "tuning";  // of a profile: MatrixTuning as text

// Empty where the environment names no folder.
std::filesystem::path profilePath(const DeviceFacts& facts);

// What a profile must have to be used: of the device, its driver and coopvk.
nlohmann::ordered_json profileKey(const DeviceFacts& facts);

// By the setting `tuning`, or by a profile, if the setting wants it.
DeviceTuning tuningFor(const Settings& settings, const DeviceFacts& facts);

// Choices for subgroups of this size, which may be smaller than where they were measured: a grid
// has no more rows than lanes.
rewrite::MatrixTuning choicesAt(rewrite::MatrixTuning choices, uint32_t lanes);

// A line for people; empty where nothing is tuned and no profile is there.
std::string textOf(const DeviceTuning& tuning);

}  // namespace coopvk::layer
