// SPDX-License-Identifier: Apache-2.0
//
// The numbers that name elements of matrices, and what changes with them in loops.
#pragma once

#include <compare>

#include "matrix/flow_blocks.hpp"

namespace coopvk::rewrite {

// A number as a sum. Without a base it is the constant.
struct ElementNumber {
    Id base = 0;  // a variable of the invocation, for what is loaded from it, or a value
    uint32_t constant = 0;
    auto operator<=>(const ElementNumber&) const = default;
};

ElementNumber elementNumber(const Module& module, Id number);

// The phis and variables from which a number is computed.
std::vector<Id> countersOf(const Module& module, Id number);

// What the instruction that names an element by this number reads from the iteration before, in
// the loop that counts: the number, and all else that changes with it.
std::vector<Id> carriedWith(const Module& module, const FlowBlocks& blocks, const Instruction& i,
                            Id number);

}  // namespace coopvk::rewrite
