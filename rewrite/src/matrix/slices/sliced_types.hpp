// SPDX-License-Identifier: Apache-2.0
//
// Which matrices may be loaded in slices.
#pragma once

#include <set>

#include "ir/types.hpp"
#include "matrix/layout.hpp"

namespace coopvk::rewrite {

struct SlicedTypes {
    std::set<Id> types;
    uint32_t wholeDepth = 0;
    uint32_t depth = 0;   // 0: none
    bool rolled = false;  // slices in a loop that stays one
};

SlicedTypes chooseSlices(const TypeTable& types, const Target& target, const LayoutPolicy& policy);

}  // namespace coopvk::rewrite
