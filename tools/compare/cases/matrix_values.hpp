// SPDX-License-Identifier: Apache-2.0
//
// Cases of the other operations on a matrix: load and store, arithmetic by element, conversion,
// element access.
#pragma once

#include "compare/cases/matrix_rows.hpp"
#include "compare/cases/plan.hpp"

namespace coopvk::compare {

// `row` is the property row that the cases are counted for.
void addLoadStore(Dialect dialect, const MatrixRow& row, const MatrixType& type,
                  std::vector<Case>& cases);
void addArithmetic(Dialect dialect, const MatrixRow& row, const MatrixType& type,
                   std::vector<Case>& cases);
// Nothing if no single instruction converts the one to the other.
void addConversion(Dialect dialect, const MatrixRow& row, const MatrixType& from,
                   const MatrixType& to, std::vector<Case>& cases);

}  // namespace coopvk::compare
