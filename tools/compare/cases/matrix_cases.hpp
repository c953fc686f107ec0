// SPDX-License-Identifier: Apache-2.0
//
// The grid of cases of the two cooperative matrix extensions: property rows, layouts, storage
// classes and operations.
#pragma once

#include "compare/cases/matrix_rows.hpp"
#include "compare/cases/plan.hpp"

namespace coopvk::compare {

// A matrix type, and the first row that lists it.
struct ListedType {
    MatrixType type;
    MatrixRow row;
};
// Every type of each size and scope once, with the sides that list it in any row.
std::vector<ListedType> listedTypes(const std::vector<MatrixRow>& rows);

std::vector<Case> matrixCases(Dialect dialect, const std::vector<MatrixRow>& rows);

}  // namespace coopvk::compare
