// SPDX-License-Identifier: Apache-2.0
//
// What the tests of the optimiser's passes share: functions before and after a pass.
#pragma once

#include <string_view>
#include <vector>

#include "optimise/optimise.hpp"

namespace coopvk::rewrite::optimise_module {

// New ids begin at 100: %99 is the first block. %30 is a buffer of u32, %98 is RelaxedPrecision.
std::vector<uint32_t> assembled(std::string_view body);

enum class Pass { kSplit, kForward, kBlock, kFunction, kMerge, kUnread };

struct Case {
    std::string_view name;
    Pass pass;
    std::string_view before, after;
};

// Fails the current test if the pass makes anything else of the function.
void expectAfterPass(const Case& test);

}  // namespace coopvk::rewrite::optimise_module
