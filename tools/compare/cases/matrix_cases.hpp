// SPDX-License-Identifier: Apache-2.0
//
// The grid of cases of the two cooperative matrix extensions: property rows, layouts, storage
// classes and operations.
#pragma once

#include "compare/cases/matrix_rows.hpp"
#include "compare/cases/plan.hpp"

namespace coopvk::compare {

std::vector<Case> matrixCases(Dialect dialect, const std::vector<MatrixRow>& rows);

}  // namespace coopvk::compare
