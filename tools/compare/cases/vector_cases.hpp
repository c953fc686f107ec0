// SPDX-License-Identifier: Apache-2.0
//
// The grid of cases of VK_NV_cooperative_vector.
#pragma once

#include "compare/cases/plan.hpp"
#include "compare/cases/vector_rows.hpp"

namespace coopvk::compare {

std::vector<Case> vectorCases(const VectorProperties& properties);

// Its parts.
void addVectorMultiply(const VectorRow& row, std::vector<Case>& cases);
void addVectorTraining(const VectorProperties& properties, std::vector<Case>& cases);
void addVectorValues(const VectorProperties& properties, std::vector<Case>& cases);
void addMatrixConversions(const VectorProperties& properties, std::vector<Case>& cases);

inline constexpr Layout kAllLayouts[] = {VK_COOPERATIVE_VECTOR_MATRIX_LAYOUT_ROW_MAJOR_NV,
                                         VK_COOPERATIVE_VECTOR_MATRIX_LAYOUT_COLUMN_MAJOR_NV,
                                         VK_COOPERATIVE_VECTOR_MATRIX_LAYOUT_INFERENCING_OPTIMAL_NV,
                                         VK_COOPERATIVE_VECTOR_MATRIX_LAYOUT_TRAINING_OPTIMAL_NV};
std::string nameOf(Layout layout);  // "rows", "columns", "inferencing", "training"

}  // namespace coopvk::compare
