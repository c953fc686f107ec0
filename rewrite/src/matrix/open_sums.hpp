// SPDX-License-Identifier: Apache-2.0
//
// Sums that stay open: what a lane holds of an f16 accumulator while a loop adds products to it.
// Products along K come in pairs, and a pair's two sums become one component only where something
// else than a product reads it: two f16 each, which packed f16 arithmetic adds to, or one f32,
// where the device has mixed dot products. SPV_KHR_cooperative_matrix leaves order and precision of
// a product's sums to the implementation.
#pragma once

#include <set>

#include "matrix/context.hpp"

namespace coopvk::rewrite {

// How the device adds up products of f16 in pairs along K; kClosed where it does no such products.
Sums sumsOf(const Target& target);

// The f16 accumulators that may stay open: loops add products to them, and a lane has few enough.
std::set<Id> openAccumulators(const Module& module, const TypeTable& types, const Target& target,
                              const LayoutPolicy& policy);

// Sums as packs of components, and packs as sums.
std::vector<Id> closeSums(Emitter& emit, const MatrixType& matrix, std::span<const Id> sums);
std::vector<Id> openSums(Emitter& emit, const MatrixType& matrix, std::span<const Id> packs);
// The same of one component; defines `result` (0: a new id).
Id closeSum(Emitter& emit, const MatrixType& matrix, Id sum, Id result = 0);
Id openSum(Emitter& emit, const MatrixType& matrix, Id component);

// OpLoad and OpStore of a component whose sum is open; false for any others.
bool lowerSumAccess(MatrixContext& context, Emitter& emit, Instruction& instruction);

}  // namespace coopvk::rewrite
