// SPDX-License-Identifier: Apache-2.0
//
// Scalars that a block loads from consecutive elements of an array.
#pragma once

#include "vector/context.hpp"

namespace coopvk::rewrite {

struct ConsecutiveLoads {
    const Instruction* chain = nullptr;  // access chain to the first element
    Id index = 0;                        // the element is number index (0: none) plus constant
    uint32_t constant = 0;
    Operands access;  // memory operands of the loads
};

// Whether the operands of the block's instruction number `at` are such scalars, in order: each is
// loaded in this block, the indices are a common value plus 0, 1, 2 and so on, and no write comes
// between the first of these loads and `at`.
std::optional<ConsecutiveLoads> consecutiveLoads(const VectorContext& context, const Block& block,
                                                 size_t at);

// Takes away instructions of a block that only read and compute and whose results nothing names.
void dropUnused(VectorContext& context, const Function& function, Block& block);

}  // namespace coopvk::rewrite
