// SPDX-License-Identifier: Apache-2.0
//
// The cases of VK_NV_cooperative_matrix2: rows of flexible dimensions of both scopes, and the
// operations that each of the extension's features allows for them.
#pragma once

#include "compare/cases/matrix2_rows.hpp"
#include "compare/cases/plan.hpp"

namespace coopvk::compare {

// `nativeBits` and `emulatedBits`: of matrix2Bits. A side runs the cases whose features it has.
std::vector<Case> matrix2Cases(const FlexibleRows& rows, uint32_t nativeBits,
                               uint32_t emulatedBits);

// The parts of the grid. `row` has sizes of its matrices.
void addReductions(const MatrixRow& row, Component component, std::vector<Case>& cases);
void addUseConversions(const MatrixRow& row, const MatrixType& from, const MatrixType& to,
                       std::vector<Case>& cases);
void addPerElement(const MatrixRow& row, const MatrixType& type, std::vector<Case>& cases);
// Loads and stores; and loads with a decode function.
void addTensorAccesses(const MatrixRow& row, const MatrixType& type, std::vector<Case>& cases);
void addBlockLoads(const MatrixRow& row, const MatrixType& type, std::vector<Case>& cases);

}  // namespace coopvk::compare
