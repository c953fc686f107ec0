// SPDX-License-Identifier: Apache-2.0
//
// Programs that assume what some drivers do: that an accumulator and a matrix of use A or B that
// have the same size are distributed alike, and so copying element i to element i converts the use.
#pragma once

#include <set>

#include "ir/types.hpp"

namespace coopvk::rewrite {

// The types of use A and B to whose elements the module copies elements of accumulators of the same
// size, perhaps converted. Matrices of these types are distributed as accumulators are.
std::set<Id> typesLikeAccumulators(const Module& module);

}  // namespace coopvk::rewrite
