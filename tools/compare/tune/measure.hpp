// SPDX-License-Identifier: Apache-2.0
//
// Executes the works of `coopvk tune` by two tunings, checks what they compute, and takes the time.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace coopvk::tune {

inline constexpr std::string_view kMeasuredMark =
    "tune measured: ";  // before the JSON of its result

struct MeasureRequest {
    uint32_t device = 0;
    bool isCpu = false;           // smaller problems suffice
    std::string base, candidate;  // tunings
    std::vector<uint32_t> works;  // their numbers
    double sample = 0.02;         // seconds that are timed at once, at least
    int rounds = 7;               // how often, with each tuning
};
nlohmann::ordered_json jsonOf(const MeasureRequest& request);
// Throws nlohmann's exceptions where it is none.
MeasureRequest requestFrom(std::string_view text);

// In this process, which the driver may end. {"works": [{"name", "isRight", "baseIsRight", "base",
// "candidate", "operations"}]}, with seconds of a dispatch. Throws what Vulkan's calls throw.
nlohmann::ordered_json measureTunings(const MeasureRequest& request);

}  // namespace coopvk::tune
