// SPDX-License-Identifier: Apache-2.0
//
// A multiply-add of matrices of scope Workgroup that goes through K in slices, whose parts of A and
// B lie in shared memory.
#pragma once

#include <numeric>

#include "matrix/exchange.hpp"
#include "matrix/instructions.hpp"
#include "matrix/product.hpp"

namespace coopvk::rewrite {

// The columns of A in the deepest slice for which there is shared memory: a multiple of `step` that
// divides K; 0 with an error. `more`: words that it may take beside those that are there for all.
uint32_t deepestSlice(MatrixContext& context, const MulAdd& product, const Instruction& at,
                      uint32_t step, uint32_t more,
                      const std::function<uint32_t(uint32_t depth)>& wordsOf);

class StagedProduct {
 protected:
    // `depth`: columns of A in a slice. `words`: shared memory of a slice.
    StagedProduct(MatrixContext& context, FunctionBuilder& function, const MulAdd& product,
                  uint32_t depth, uint32_t words)
        : context_(context),
          types_(context.types),
          f_(function),
          emit_(function.emit()),
          p_(product),
          depth_(depth),
          memory_(context, emit_),
          position_(context.position(emit_.out(), LaneScope::kWorkgroup)) {
        memory_.use(words);
    }

    // For each slice, the first of whose columns of A is `start` (u32): runs stage() between
    // barriers, then multiply(). `leavesLast`: does not multiply the last one.
    void forEachSlice(const std::function<void(Id start)>& stage,
                      const std::function<void()>& multiply, bool leavesLast = false) {
        const auto stageAt = [&](Id start) {
            memory_.barrier();
            stage(start);
            memory_.barrier();
        };
        const uint32_t slices = p_.a->columns / depth_ - (leavesLast ? 1 : 0);
        f_.loopAbove(1, slices, [&](Id slice) {
            stageAt(emit_.times(slice, depth_));
            multiply();
        });
        if (leavesLast) stageAt(emit_.constant(slices * depth_));
    }

    // Runs body(block, inSlice) for the blocks of a matrix along K that this lane stores: their
    // first local index, and their place in the slice that begins at `start`. `stores`: whether the
    // lane stores at all. Each block has blockOf() elements along K.
    void forEachBlock(const MatrixType& matrix, Dimension k, Id start, Condition stores,
                      const std::function<void(uint32_t block, Id inSlice)>& body) {
        const Axis& axis = matrix.fragment.axis(k);
        for (uint32_t block = 0; block < axis.count(); block += blockOf(axis)) {
            const Id index = positionOf(matrix).indexOn(emit_, k, axis, block);
            const Id inSlice = emit_.op(OpISub, types_.uint32(), {index, start});
            Condition stored = stores;
            if (depth_ < axis.size) {
                const Condition isIn = emit_.compare(OpULessThan, inSlice, emit_.constant(depth_));
                stored = emit_.both(stores, isIn);
            }
            f_.when(stored, [&] { body(block, inSlice); });
        }
    }

    // Slices may divide the blocks of an axis.
    uint32_t blockOf(const Axis& k) const { return std::gcd(k.block, depth_); }
    GridPosition& positionOf(const MatrixType& m) {
        if (!m.fragment.run) return position_;
        const auto found = inRuns_.find(m.id);
        if (found != inRuns_.end()) return found->second;
        return inRuns_.emplace(m.id, context_.position(emit_.out(), m.fragment)).first->second;
    }

    Condition isNoDuplicate(const MatrixType& m) {
        return positionOf(m).isNoDuplicate(emit_, m.fragment);
    }

    MatrixContext& context_;
    TypeTable& types_;
    FunctionBuilder& f_;
    Emitter& emit_;
    const MulAdd& p_;
    const uint32_t depth_;
    WorkgroupMemory memory_;
    GridPosition position_;              // of matrices that are not in runs
    std::map<Id, GridPosition> inRuns_;  // by matrix type
};

}  // namespace coopvk::rewrite
