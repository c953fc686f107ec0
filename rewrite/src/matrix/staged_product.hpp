// SPDX-License-Identifier: Apache-2.0
//
// A multiply-add of matrices of scope Workgroup that goes through K in slices, whose parts of A and
// B lie in shared memory.
#pragma once

#include <algorithm>
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

// The types of a product of matrices of scope Workgroup, and how slices of A and B lie in shared
// memory (workgroup_product.cpp).

// A or B. A word in shared memory has one component, or neighbours along K, or neighbours along the
// other axis, the "line" (rows of A, columns of B). Lines follow each other along K. The words of a
// line are divided into runs. With two lanes on the line, each of which has two runs:
//
//   K 0:  run 0 of lane 0   run 0 of lane 1   run 1 of lane 0   run 1 of lane 1   padding
//   K 1:  ...
struct StagedOperand {
    const MatrixType* matrix = nullptr;
    bool isA = true;
    Id component = 0;        // scalar type in shared memory
    uint32_t alongK = 1;     // components of a word along K
    uint32_t alongLine = 1;  // along the line
    uint32_t first = 0;      // first word

    // The dimensions of the matrix along K, and along the line.
    Dimension kDimension() const { return isA ? Dimension::kColumns : Dimension::kRows; }
    Dimension lineDimension() const { return other(kDimension()); }
    const Axis& k() const { return matrix->fragment.axis(kDimension()); }
    const Axis& line() const { return matrix->fragment.axis(lineDimension()); }
    // Words of a lane on the line, and consecutive words of it.
    uint32_t laneWords() const { return line().count() / alongLine; }
    uint32_t runWords() const { return std::gcd(laneWords(), 4u); }
    // Lanes that write along K should access different banks. Runs of four words are whole vectors:
    // they have no padding, but another order in each block of K (lane XOR block).
    bool ordersByBlock() const { return runWords() == 4; }
    uint32_t orders() const { return std::min(line().lanes, 8u); }
    // Words from one line to the next.
    uint32_t lineWords() const { return line().size / alongLine + (ordersByBlock() ? 0 : 4); }
    uint32_t words(uint32_t depth) const { return depth / alongK * lineWords(); }
    // Place of a lane's word on the line, without the part that depends on lane and block.
    uint32_t offset(uint32_t word) const {
        return word / runWords() * (line().lanes * runWords()) + word % runWords();
    }
};

struct WorkgroupPlan {
    StagedOperand a, b;
    MatrixType sum;      // the type in which sums are computed; perhaps open
    uint32_t step = 1;   // columns of A that are multiplied at once
    uint32_t depth = 0;  // columns of A in a slice; divides K

    // Multiply-adds of a lane in a step: of scalars, or of pairs.
    uint32_t products() const { return sum.heldCount() * step / (sum.isOpen() ? 2 : 1); }
};

WorkgroupPlan planOf(const MatrixContext& context, const MulAdd& product);

// Sets the depth to that of the deepest slice for which there is shared memory. False with an
// error.
bool chooseDepth(MatrixContext& context, WorkgroupPlan& plan, const Instruction& at);

// The part of A or B that a lane multiplies in one step: `step` columns of A, or rows of B.
MatrixType stepType(TypeTable& types, const StagedOperand& operand, uint32_t step);

}  // namespace coopvk::rewrite
