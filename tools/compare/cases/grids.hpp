// SPDX-License-Identifier: Apache-2.0
//
// The extensions that can be compared, and the cases of each.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compare/cases/plan.hpp"
#include "compare/run/gpu.hpp"

namespace coopvk::compare {

struct Grid {
    std::vector<Case> cases;
    std::map<std::string, size_t> skipped;  // how many rows of each kind have none
};

// Of the sides that take part; one may be missing.
Grid gridOf(const std::string& extension, const Gpu* native, const Gpu* emulated);
// Of the reference device, in place of the native side.
Grid referenceGrid(const std::string& extension);

std::vector<std::string> comparedExtensions();

}  // namespace coopvk::compare
