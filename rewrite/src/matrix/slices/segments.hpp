// SPDX-License-Identifier: Apache-2.0
//
// Products in slices along K. A lane holds A and B whole along K, and shaders load several matrices
// ahead of the products that share them, for which many GPUs have too few registers. So this puts a
// loop around instructions that load matrices, multiply them and use them no more: each iteration
// loads and multiplies a slice of them, some columns of A and rows of B.
//
//   before:  a = load(A 16x64); b = load(B 64x16)
//            sum = product(a, b, sum)
//   after:   for (slice = 0; slice < 64 / 8; ++slice) {
//                a = load(A 16x8); b = load(B 8x16)  // 8 * slice columns, or rows, further on
//                sum = product(a, b, sum)
//            }
#pragma once

#include <map>
#include <set>

#include "ir/blocks.hpp"
#include "ir/effects.hpp"
#include "ir/types.hpp"
#include "ir/users.hpp"
#include "matrix/context.hpp"
#include "matrix/instructions.hpp"
#include "matrix/matrix_uses.hpp"

namespace coopvk::rewrite {

// Changes types of A and B, and puts loops around their products. Does nothing where slices do not
// suit the device, or a product of the module does not allow them.
ProductSlices sliceProducts(TypeTable& types, const PlannedTarget& target,
                            const LayoutPolicy& policy, const MatrixUses& uses);

// Segments: parts of functions that a loop may execute again. They consist of instructions and
// whole constructs that change only variables of the invocation.

// The instructions from `begin` up to `end`. `begin` dominates them, and all of them lead to `end`.
struct Segment {
    Position begin;
    Position end;
};

// Whether a pointer points to a variable of the invocation.
bool isLocal(const Module& module, Id pointer);

// What the functions of a module do, themselves or by calls (ir/effects.hpp), and their blocks.
class FunctionFacts : public Effects {
 public:
    explicit FunctionFacts(const Module& module) : Effects(module) {
        for (const auto& function : module.functions()) {
            graphs_.try_emplace(function.get(), *function);
        }
    }

    // Whether executing the instruction again changes nothing but variables of the invocation.
    bool mayRepeat(const Instruction& i) const { return rewrite::mayRepeat(of(i)); }
    // Whether it is a multiply-add, or a call that leads to one.
    bool multiplies(const Instruction& i) const { return (of(i) & kMultiplies) != 0; }
    // Whether it is a call that leads to a multiply-add or a load of a matrix.
    bool usesMatrices(const Instruction& call) const {
        return call.opcode == OpFunctionCall && (of(call) & (kMultiplies | kLoadsMatrix)) != 0;
    }
    const BlockGraph& graph(const Function& function) const { return graphs_.at(&function); }

 private:
    std::map<const Function*, BlockGraph> graphs_;
};

// The largest segments of a function that have multiply-adds, those in inner loops first.
std::vector<Segment> findSegments(const FunctionFacts& facts, const Function& function);

// The loads of matrices, multiply-adds and calls that a segment executes; nullopt unless a loop may
// execute it once for each slice of its products along K.
std::optional<std::set<const Instruction*>> executedInSlices(const Module& module,
                                                             const FunctionFacts& facts,
                                                             const std::set<Id>& sliced,
                                                             const Function& function,
                                                             const Segment& segment);

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

// Whether what a lane holds is adjacent: then each iteration of a loop takes it from other lanes.
// Else each slice is from the same lanes, which hold it elsewhere.
inline bool isRolled(const Axis& columns) { return columns.block == columns.count(); }

// An OpCooperativeMatrixConvertNV in ProductSlices::firstColumns.
void lowerFactorSlice(MatrixContext& context, MatrixWriter& writer, const Instruction& slice);

}  // namespace coopvk::rewrite
