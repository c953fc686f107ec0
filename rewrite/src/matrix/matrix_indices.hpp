// SPDX-License-Identifier: Apache-2.0
//
// Which loops choose matrices by their counters.
#pragma once

#include <vector>

#include "ir/blocks.hpp"
#include "matrix/product_loops.hpp"

namespace coopvk::rewrite {

// Of each loop of the graph: whether its counter is an index to a matrix in an array. On it depend
// the phis of the header, the variables to which the continue construct stores, and what is
// computed of these in the loop.
std::vector<bool> loopsThatPickMatrices(const Module& module, MatrixCounts& matrices,
                                        const Function& function, const BlockGraph& graph);

}  // namespace coopvk::rewrite
