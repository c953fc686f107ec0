// SPDX-License-Identifier: Apache-2.0
//
// What goes into a region of other accumulators (sum_types.hpp) and out of it.
#pragma once

#include "matrix/sums/sum_types.hpp"

namespace coopvk::rewrite {

struct SumMoves {
    SumRegion region;
    std::unordered_set<const Instruction*> inside;
    std::set<Id> constants, variables;       // that the region uses
    std::set<Id> valuesIn, valuesOut;        // that other parts of the function define, or use
    std::set<Id> variablesIn, variablesOut;  // of `variables`, that have values there
};

// nullopt: pointers to accumulators go in or out, too.
std::optional<SumMoves> sumMoves(const Module& module, const SumTypes& sums,
                                 const BlockGraph& graph, const Users& users, SumRegion region);

// Gives accumulators in the regions of a function the types of products, and converts what goes in
// and out. The last region comes first.
void retypeSums(TypeTable& types, SumTypes& sums, Function& function,
                std::span<const SumMoves> moves);

}  // namespace coopvk::rewrite
