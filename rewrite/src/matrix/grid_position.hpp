// SPDX-License-Identifier: Apache-2.0
//
// Where an invocation is in the grid of lanes of its subgroup or workgroup (layout.hpp).
#pragma once

#include <map>

#include "ir/emitter.hpp"
#include "matrix/layout.hpp"

namespace coopvk::rewrite {

class GridPosition {
 public:
    // Emits each instruction once, into `out`. `lanes`: invocations of the scope, of which some may
    // be outside of the grid. `cell`: see LayoutPolicy. `cellsAreSubgroups`: see MatrixContext.
    GridPosition(TypeTable& types, InstructionList& out, LaneScope scope, Grid grid, Grid cell,
                 uint32_t lanes, bool cellsAreSubgroups)
        : emit_(types, out),
          scope_(scope),
          grid_(grid),
          cell_(cell),
          cellsAreSubgroups_(cellsAreSubgroups),
          lanes_(lanes) {}
    // The position of a workgroup's invocation in the lanes of a fragment in runs.
    GridPosition(TypeTable& types, InstructionList& out, const Fragment& inRuns, uint32_t lanes)
        : emit_(types, out),
          scope_(LaneScope::kWorkgroup),
          grid_{inRuns.rows.lanes, inRuns.columns.lanes},
          cell_(grid_),
          isByColumns_(inRuns.run->along == Dimension::kRows),
          lanes_(lanes) {}

    // u32 values.
    Id lane();  // SubgroupLocalInvocationId, or the number in the workgroup
    Id row();   // in the grid; of invocations outside of it, that of one with lower number
    Id column();
    Id coordinate(Dimension d) { return d == Dimension::kRows ? row() : column(); }
    // The invocation's lane on an axis of rows or of columns, in [0, axis.lanes).
    Id laneOn(Dimension d, const Axis& axis);
    // The row or column of the matrix that has the local index `local`.
    Id indexOn(Emitter& emit, Dimension d, const Axis& axis, uint32_t local);
    // True unless a lane of lower number holds the same rows and columns; 0: true in all lanes.
    Id isNoDuplicate(Emitter& emit, uint32_t rowLanes, uint32_t columnLanes);
    Id isNoDuplicate(Emitter& emit, const Fragment& f) {
        return isNoDuplicate(emit, f.rows.lanes, f.columns.lanes);
    }
    void setLane(Id lane) { lane_ = lane; }  // where the module has read it already

 private:
    Id numberBySubgroup();
    Id limited(Id lane);
    Id laneInCell();
    Id lineOf(Id& line, uint32_t before, uint32_t count);
    template <typename Make>
    Id once(Id& value, Make make) {
        if (value == 0) value = make();
        return value;
    }

    Emitter emit_;
    const LaneScope scope_;
    const Grid grid_, cell_;
    const bool cellsAreSubgroups_ = false;
    const bool isByColumns_ = false;  // consecutive lanes fill the grid column by column
    const uint32_t lanes_;
    Id lane_ = 0, laneInCell_ = 0, row_ = 0, column_ = 0;
    std::map<std::pair<Id, uint32_t>, Id> axisLanes_;  // by coordinate and number of lanes
};

// The index on an axis of a local element, in the lane `lane` of the axis: u32. `local` is a
// constant, or a u32 value.
Id indexOn(Emitter& emit, const Axis& axis, Id lane, uint32_t local);
Id indexOfValue(Emitter& emit, const Axis& axis, Id lane, Id local);

}  // namespace coopvk::rewrite
