// SPDX-License-Identifier: Apache-2.0
//
// The functions that instructions on matrices call for elements (SPV_NV_cooperative_matrix2):
// DecodeFunc, Func and CombineFunc.
#pragma once

#include "matrix/context.hpp"

namespace coopvk::rewrite {

// These functions, and those that they call. Sets an error if one of them has an instruction that
// it must not have. So none of them leads to itself, and none calls such functions for elements.
std::unordered_set<Id> callbacksOf(MatrixContext& context);

}  // namespace coopvk::rewrite
