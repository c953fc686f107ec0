// SPDX-License-Identifier: Apache-2.0
//
// Rewrites a function whose matrices are distributed to a grid of lanes (layout.hpp).
#pragma once

#include "lowering/function_writer.hpp"
#include "matrix/context.hpp"
#include "matrix/grid_position.hpp"

namespace coopvk::rewrite {

class MatrixWriter : public FunctionWriter {
 public:
    MatrixWriter(MatrixContext& context, Function& function)
        : FunctionWriter(context, function), matrices_(context) {}

    // The invocation's position, as values that are the same in the whole function.
    GridPosition& position(LaneScope scope);
    GridPosition& position(const MatrixType& m);

    // u32: the invocation's lane on an axis of the matrix, and the row and column of a local
    // element.
    Id laneOn(const MatrixType& m, Dimension d) {
        return position(m).laneOn(d, m.fragment.axis(d));
    }
    Id rowOf(const MatrixType& m, uint32_t localRow) {
        return position(m).indexOn(emit(), Dimension::kRows, m.fragment.rows, localRow);
    }
    Id columnOf(const MatrixType& m, uint32_t localColumn) {
        return position(m).indexOn(emit(), Dimension::kColumns, m.fragment.columns, localColumn);
    }
    // Whether this invocation is the one that stores what it holds; 0: each is.
    Id isNoDuplicate(const MatrixType& m) { return position(m).isNoDuplicate(emit(), m.fragment); }

 private:
    MatrixContext& matrices_;
    std::optional<GridPosition> positions_[2];
    std::map<Id, GridPosition> runPositions_;  // by matrix type, of those in runs
};

}  // namespace coopvk::rewrite
