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

class StagedProduct {
 protected:
    // `depth`: columns of A in a slice. `words`: shared memory of a slice.
    StagedProduct(MatrixContext& context, FunctionBuilder& function, const MulAdd& product,
                  uint32_t depth, uint32_t words);

    // For each slice, the first of whose columns of A is `start` (u32): runs stage() between
    // barriers, then multiply(). `leavesLast`: does not multiply the last one.
    void forEachSlice(const std::function<void(Id start)>& stage,
                      const std::function<void()>& multiply, bool leavesLast = false);
    // Runs body(block, inSlice) for the blocks of a matrix along K that this lane stores: their
    // first local index, and their place in the slice that begins at `start`. `stores`: whether the
    // lane stores at all. Each block has blockOf() elements along K.
    void forEachBlock(const MatrixType& matrix, Dimension k, Id start, Condition stores,
                      const std::function<void(uint32_t block, Id inSlice)>& body);
    // Slices may divide the blocks of an axis.
    uint32_t blockOf(const Axis& k) const { return std::gcd(k.block, depth_); }
    GridPosition& positionOf(const MatrixType& m);
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
