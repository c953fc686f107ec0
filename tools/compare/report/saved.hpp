// SPDX-License-Identifier: Apache-2.0
//
// Results of one side in a file, for a comparison with those of another machine or driver.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "compare/run/side.hpp"

namespace coopvk::compare {

struct SavedResults {
    std::string extension, side, device;
    uint64_t seed = 0;
    std::map<std::string, Outcome> outcomes;  // by the case's name
};

// Throw where the file cannot be written or read.
void save(const SavedResults& results, const std::string& file);
SavedResults load(const std::string& file);

}  // namespace coopvk::compare
