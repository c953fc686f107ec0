// SPDX-License-Identifier: Apache-2.0
//
// Rewrites a function whose matrices are dealt to a grid of lanes.
#pragma once

#include "lowering/function_writer.hpp"
#include "matrix/context.hpp"

namespace coopvk::rewrite {

class MatrixWriter : public FunctionWriter {
 public:
    MatrixWriter(MatrixContext& context, Function& function)
        : FunctionWriter(context, function), grid_(context.policy.grid) {}

    // u32 values, the same in the whole function.
    Id gridRow();     // lane / grid columns
    Id gridColumn();  // lane % grid columns
    // Position of this lane on a dealt axis, in [0, lanes).
    Id rowLane(uint32_t lanes) { return axisLane(gridRow(), lanes, grid_.rows); }
    Id columnLane(uint32_t lanes) { return axisLane(gridColumn(), lanes, grid_.columns); }
    // True where this lane is the one that stores for its row and column lanes; 0 if every lane is.
    Id isNoDuplicate(uint32_t rowLanes, uint32_t columnLanes);

 private:
    Id axisLane(Id gridLane, uint32_t lanes, uint32_t gridLanes);

    const Grid grid_;
};

}  // namespace coopvk::rewrite
