// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "matrices/sums.hpp"

namespace coopvk::reference::matrices {

// SPV_KHR_cooperative_matrix, OpCooperativeMatrixMulAddKHR: a (M x K) times b (K x N), plus c (M x
// N). The signedness of integers is that of the matrices' formats, of the result that of
// rule.result: callers take it from the Cooperative Matrix Operands. An element is defined if those
// of its row of a, its column of b and its element of c are.
Matrix multiplyAdd(const Matrix& a, const Matrix& b, const Matrix& c, const SumRule& rule);

}  // namespace coopvk::reference::matrices
