// SPDX-License-Identifier: Apache-2.0
//
// Matrices of use A and B that are distributed as accumulators are.
#pragma once

#include "matrix/matrix_uses.hpp"

namespace coopvk::rewrite {

// Programs that assume what some drivers do: that an accumulator and a matrix of use A or B that
// have the same size are distributed alike, and so copying element i to element i converts the use.

// The types of use A and B to whose elements the module copies elements of accumulators of the same
// size, perhaps converted. Matrices of these types are distributed as accumulators are.
std::set<Id> typesLikeAccumulators(const MatrixUses& uses);

// Large matrices of use A and B. A lane holds all columns of its rows of A, and all rows of its
// columns of B, as products want it; several lanes hold the same component. Compilers of drivers
// fail at the code for thousands of components in each lane, or at the branches through which they
// go.

// The types to distribute as accumulators are, since else a lane would have too many components:
// no product of the module reads a matrix of their size and use, or the module moves their values
// through many branches. Products convert the latter. `policy` without likeAccumulators.
std::set<Id> largeTypes(const MatrixUses& uses, const TypeTable& types, const LayoutPolicy& policy);

}  // namespace coopvk::rewrite
