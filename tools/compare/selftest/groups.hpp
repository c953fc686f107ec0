// SPDX-License-Identifier: Apache-2.0
//
// The groups of `coopvk selftest`, each of which runs in a process of its own.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace coopvk::compare {

inline constexpr std::string_view kSpeed = "speed";
inline constexpr std::string_view kLayouts = "layouts";           // of the driver's own matrices
inline constexpr std::string_view kPartMark = "selftest part: ";  // before the JSON of its result

struct Group {
    std::string extension, backEnd;  // the extension may be kSpeed or kLayouts
    std::string name() const { return extension + "," + backEnd; }
};

// The result of a group.
struct Part {
    Group group;
    std::string why;  // it could not run; empty: it ran
    size_t cases = 0, agreed = 0;
    double seconds = 0;
    std::vector<std::string> differing;
    std::vector<std::pair<std::string, double>>
        speeds;                      // thousands of millions of operations a second
    nlohmann::ordered_json layouts;  // jsonOf() of each map that was read; null: none
};

nlohmann::ordered_json jsonOf(const Part& part);
// Throws nlohmann's exceptions where it is none.
Part partFrom(const nlohmann::ordered_json& json);

// Whether `coopvk compare` has cases of the extension.
bool hasCases(std::string_view extension);

// Runs a group in this process, and prints its result. `cases`: about how many; after so many
// seconds no further one begins.
void runGroup(std::string_view name, uint32_t device, uint32_t cases, double seconds);

}  // namespace coopvk::compare
