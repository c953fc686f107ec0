// SPDX-License-Identifier: Apache-2.0
//
// Slices of B alone, where A does not come from memory: fused networks convert the sums of one
// product to the A of the next. In the form in which products read it, such an A takes more
// registers than many GPUs have: all columns of each row, in each lane of a row of the grid. So A
// is distributed as accumulators are, each element in one lane, and the product takes some columns
// of A from the lanes that hold them, and reads the same rows of B from memory.
//
//   before:  a = convert(sums); b = load(B 128x64)
//            sum = product(a, b, c)
//   after:   a = convert(sums)      // moves nothing: A is distributed as the sums are
//            sum = c
//            for (slice = 0; slice < 128 / 16; ++slice) {
//                b = load(B 16x64)  // 16 * slice rows further on
//                sum = product(columns of a from the lanes in column `slice` of the grid, b, sum)
//            }
#pragma once

#include "matrix/context.hpp"
#include "matrix/instructions.hpp"
#include "matrix/matrix_uses.hpp"

namespace coopvk::rewrite {

// Puts a loop in place of each product whose factors take too many registers, if it can read B in
// the loop. Then what nothing reads goes, also other instructions. Adds their types of A to
// policy.likeAccumulators. No lengths of matrices may depend on the policy any more.
ProductSlices sliceFactors(TypeTable& types, const PlannedTarget& target, LayoutPolicy& policy,
                           const MatrixUses& all);

// A product that can load B, and the load that its operand comes from.
struct LoadedProduct {
    const Instruction* product;
    const Instruction* load;
    uint32_t depth = 0;  // rows of B in a slice
};
// By type of A: all products with it, if they can load B, and the factors of one take too many
// registers.
std::map<Id, std::vector<LoadedProduct>> chooseFactors(const TypeTable& types,
                                                       const PlannedTarget& target,
                                                       const LayoutPolicy& policy,
                                                       const MatrixUses& uses);

// How the columns of a type of A are distributed if they are distributed as an accumulator's.
Axis columnsOf(const TypeTable& types, const LayoutPolicy& policy, Id type);
// Whether what a lane holds is adjacent: then each iteration of a loop takes it from other lanes.
// Else each slice is from the same lanes, which hold it elsewhere.
inline bool isRolled(const Axis& columns) { return columns.block == columns.count(); }

// An OpCooperativeMatrixConvertNV in ProductSlices::firstColumns.
void lowerFactorSlice(MatrixContext& context, MatrixWriter& writer, const Instruction& slice);

}  // namespace coopvk::rewrite
