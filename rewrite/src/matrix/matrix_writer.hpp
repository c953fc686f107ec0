// SPDX-License-Identifier: Apache-2.0
//
// Rewrites a function whose matrices are dealt to a grid of lanes.
#pragma once

#include "lowering/function_writer.hpp"
#include "matrix/context.hpp"
#include "matrix/grid_position.hpp"

namespace coopvk::rewrite {

class MatrixWriter : public FunctionWriter {
 public:
    MatrixWriter(MatrixContext& context, Function& function)
        : FunctionWriter(context, function), matrices_(context) {}

    // u32 values, the same in the whole function.
    GridPosition& position(LaneScope scope);
    Id gridRow() { return position(LaneScope::kSubgroup).row(); }
    Id gridColumn() { return position(LaneScope::kSubgroup).column(); }
    Id rowLane(uint32_t lanes) { return position(LaneScope::kSubgroup).rowLane(lanes); }
    Id columnLane(uint32_t lanes) { return position(LaneScope::kSubgroup).columnLane(lanes); }
    // True where this lane is the one that stores for its row and column lanes; 0 if every lane is.
    Id isNoDuplicate(uint32_t rowLanes, uint32_t columnLanes) {
        return position(LaneScope::kSubgroup).isNoDuplicate(emit(), rowLanes, columnLanes);
    }

    // The same for matrices of either scope: the row and the column (u32) of local elements, and
    // whether this lane is the one that stores what it holds.
    Id rowLane(const MatrixType& m) {
        return position(m.fragment.scope).rowLane(m.fragment.rows.lanes);
    }
    Id columnLane(const MatrixType& m) {
        return position(m.fragment.scope).columnLane(m.fragment.columns.lanes);
    }
    Id rowOf(const MatrixType& m, uint32_t localRow) {
        return indexOn(emit(), m.fragment.rows, rowLane(m), localRow);
    }
    Id columnOf(const MatrixType& m, uint32_t localColumn) {
        return indexOn(emit(), m.fragment.columns, columnLane(m), localColumn);
    }
    Id isNoDuplicate(const MatrixType& m) {
        return position(m.fragment.scope)
            .isNoDuplicate(emit(), m.fragment.rows.lanes, m.fragment.columns.lanes);
    }

 private:
    MatrixContext& matrices_;
    std::optional<GridPosition> positions_[2];
};

}  // namespace coopvk::rewrite
