// SPDX-License-Identifier: Apache-2.0
//
// Integers between two others, whatever the contents of memory are.
#pragma once

#include "symbols/terms.hpp"

namespace coopvk::reference::symbols {

// As numbers without a sign.
struct Bounds {
    uint64_t least = 0, most = ~uint64_t{0};
    bool operator==(const Bounds&) const = default;
};
Bounds boundsOf(const Terms& terms, TermId id);

}  // namespace coopvk::reference::symbols
