// SPDX-License-Identifier: Apache-2.0
//
// Where an invocation is in the grid of its subgroup's or its workgroup's lanes (layout.hpp).
#pragma once

#include <map>

#include "ir/emitter.hpp"
#include "matrix/layout.hpp"

namespace coopvk::rewrite {

class GridPosition {
 public:
    // Instructions go to `out`, each once. `lanes`: of the scope, the last of which may be beyond
    // the grid.
    GridPosition(TypeTable& types, InstructionList& out, LaneScope scope, Grid grid, Grid cell,
                 uint32_t lanes)
        : emit_(types, out), scope_(scope), grid_(grid), cell_(cell), lanes_(lanes) {}

    // u32 values.
    Id lane();  // SubgroupLocalInvocationId, or LocalInvocationIndex
    Id row();   // in the grid; lanes beyond it repeat those of lower number
    Id column();
    // Position on a dealt axis, in [0, lanes).
    Id rowLane(uint32_t lanes) { return axisLane(row(), lanes, grid_.rows); }
    Id columnLane(uint32_t lanes) { return axisLane(column(), lanes, grid_.columns); }
    // True where no lane of lower number has the same row and column lanes; 0 if that is so in all.
    Id isNoDuplicate(Emitter& emit, uint32_t rowLanes, uint32_t columnLanes);
    void setLane(Id lane) { lane_ = lane; }  // where it has been read already

 private:
    Id laneInCell();
    Id axisLane(Id gridLane, uint32_t lanes, uint32_t gridLanes);
    template <typename Make>
    Id once(Id& value, Make make) {
        if (value == 0) value = make();
        return value;
    }

    Emitter emit_;
    const LaneScope scope_;
    const Grid grid_, cell_;
    const uint32_t lanes_;
    Id lane_ = 0, laneInCell_ = 0, row_ = 0, column_ = 0;
    std::map<std::pair<Id, uint32_t>, Id> axisLanes_;
};

// Index on the axis of the local element: u32.
Id indexOn(Emitter& emit, const Axis& axis, Id lane, uint32_t local);

}  // namespace coopvk::rewrite
