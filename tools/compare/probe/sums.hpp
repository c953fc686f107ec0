// SPDX-License-Identifier: Apache-2.0
//
// `coopvk probe --sums`: how a device adds products.
#pragma once

#include <string>

#include "compare/probe/product_device.hpp"

namespace coopvk::compare {

struct SumsOptions {
    std::string unit;                   // whose sums are expected: a name of SUMS; empty: any
    uint64_t sums = uint64_t{1} << 20;  // of each row, at least
    uint64_t seed = 1;
    std::string record;  // a file for operands, results and predictions
    std::string json;
};

// Returns whether all sums are those of the unit, if one is expected. Throws std::exception.
bool probeSums(ProductDevice& device, const SumsOptions& options);

}  // namespace coopvk::compare
