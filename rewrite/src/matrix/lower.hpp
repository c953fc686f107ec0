// SPDX-License-Identifier: Apache-2.0
//
// Lowers cooperative matrices to core SPIR-V.
#pragma once

#include "matrix/context.hpp"

namespace coopvk::rewrite {

// Specialization constants must be frozen. On success only tiles (tiles/tile_grid.hpp) are left of
// cooperative matrices.
std::optional<Error> lowerMatrices(MatrixContext& context);

// Whether reductions of a workgroup's matrices may begin in its subgroups, which must be full.
bool canReduceInSubgroups(const Module& module, const PlannedTarget& target);

// The functions that instructions on matrices call for elements (SPV_NV_cooperative_matrix2):
// DecodeFunc, Func and CombineFunc.

// These functions, and those that they call. Sets an error if one of them has an instruction that
// it must not have. So none of them leads to itself, and none calls such functions for elements.
std::unordered_set<Id> callbacksOf(MatrixContext& context);

}  // namespace coopvk::rewrite
