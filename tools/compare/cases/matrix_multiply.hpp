// SPDX-License-Identifier: Apache-2.0
//
// Cases of matrix multiply-add.
#pragma once

#include "compare/cases/matrix_rows.hpp"
#include "compare/cases/plan.hpp"

namespace coopvk::compare {

void addMultiplyAdd(Dialect dialect, const MatrixRow& row, std::vector<Case>& cases);

}  // namespace coopvk::compare
