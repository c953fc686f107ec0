// SPDX-License-Identifier: Apache-2.0
//
// Large matrices of use A and B. A lane holds all columns of its rows of A, and all rows of its
// columns of B, as products want it; several lanes hold the same component. Compilers of drivers
// fail at the code for thousands of components in each lane, or at the branches through which they
// go.
#pragma once

#include <set>

#include "ir/types.hpp"
#include "matrix/layout.hpp"

namespace coopvk::rewrite {

// The types to distribute as accumulators are, since else a lane would have too many components:
// no product of the module reads a matrix of their size and use, or the module moves their values
// through many branches. Products convert the latter. `policy` without likeAccumulators.
std::set<Id> largeTypes(const TypeTable& types, const LayoutPolicy& policy);

}  // namespace coopvk::rewrite
