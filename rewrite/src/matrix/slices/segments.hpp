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

namespace coopvk::rewrite {

// Changes types of A and B, and puts loops around their products. Does nothing where slices do not
// suit the device, or a product of the module does not allow them.
ProductSlices sliceProducts(TypeTable& types, const PlannedTarget& target,
                            const LayoutPolicy& policy, const MatrixUses& uses);

struct SlicedTypes {
    std::set<Id> types;       // of A and B
    uint32_t wholeDepth = 0;  // columns of A
    uint32_t depth = 0;       // of them in a slice
    bool rolled = false;      // the driver shall not unroll the loop over slices
};
// Chooses the types that may be loaded in slices, and the depth that suits the device; nullopt: it
// wants no slices, or a product or load allows none.
std::optional<SlicedTypes> chooseSlices(const TypeTable& types, const PlannedTarget& target,
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
class FunctionFacts {
 public:
    explicit FunctionFacts(const Module& module) : effects_(module) {
        for (const auto& function : module.functions()) {
            graphs_.try_emplace(function.get(), *function);
        }
    }

    // Whether executing the instruction again changes nothing but variables of the invocation.
    bool mayRepeat(const Instruction& i) const { return rewrite::mayRepeat(effects_.of(i)); }
    uint32_t effectsOf(const Instruction& i) const { return effects_.of(i); }
    // Whether it is a multiply-add, or a call that leads to one.
    bool multiplies(const Instruction& i) const { return (effects_.of(i) & kMultiplies) != 0; }
    // Whether it is a call that leads to a multiply-add or a load of a matrix.
    bool usesMatrices(const Instruction& call) const {
        return call.opcode == OpFunctionCall &&
               (effects_.of(call) & (kMultiplies | kLoadsMatrix)) != 0;
    }
    const Function* function(Id id) const { return effects_.function(id); }
    const BlockGraph& graph(const Function& function) const { return graphs_.at(&function); }

 private:
    Effects effects_;
    std::map<const Function*, BlockGraph> graphs_;
};

// The largest segments of a function that have multiply-adds, those in inner loops first.
std::vector<Segment> findSegments(const FunctionFacts& facts, const Function& function);

// The loads of matrices, multiply-adds and calls that a segment executes; nullopt unless a loop may
// execute it once for each slice of its products along K (repetition.cpp).
std::optional<std::set<const Instruction*>> executedInSlices(const Module& module,
                                                             const FunctionFacts& facts,
                                                             const std::set<Id>& sliced,
                                                             const Function& function,
                                                             const Segment& segment);

}  // namespace coopvk::rewrite
