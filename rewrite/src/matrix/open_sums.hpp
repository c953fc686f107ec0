// SPDX-License-Identifier: Apache-2.0
//
// Open sums: what a lane holds of an f16 accumulator while a loop, or one product of matrices of
// scope Workgroup, adds products to it. Each component is two f16, to which packed f16 arithmetic
// adds the products of pairs along K; or one f32, on CPUs, with mixed dot products, and where half
// floats are emulated. They become one f16 ("close") where anything but a product reads the
// component. SPV_KHR_cooperative_matrix leaves
// order and precision of a product's sums to the implementation.
#pragma once

#include <set>

#include "matrix/matrix_uses.hpp"

namespace coopvk::rewrite {

// The types of f16 accumulators with open sums: loops add products to them, and a lane has few
// enough components.
std::set<Id> openAccumulators(const MatrixUses& uses, const TypeTable& types,
                              const PlannedTarget& target, const LayoutPolicy& policy);

// Converts open sums to packs of components, and packs to open sums.
std::vector<Id> closeSums(Emitter& emit, const MatrixType& matrix, std::span<const Id> sums);
std::vector<Id> openSums(Emitter& emit, const MatrixType& matrix, std::span<const Id> packs);
// The same for one component. closeSum defines `result` (0: a new id).
Id closeSum(Emitter& emit, const MatrixType& matrix, Id sum, Id result = 0);
Id openSum(Emitter& emit, const MatrixType& matrix, Id component);

// Lowers OpLoad and OpStore of a component that is an open sum. False: the instruction stays.
bool lowerSumAccess(MatrixContext& context, Emitter& emit, Instruction& instruction);

}  // namespace coopvk::rewrite
