// SPDX-License-Identifier: Apache-2.0
#include "matrix/grid_position.hpp"

#include "lowering/built_ins.hpp"

namespace coopvk::rewrite {

Id GridPosition::lane() {
    return once(lane_, [&] {
        return scope_ == LaneScope::kSubgroup ? readLane(emit_) : readInvocation(emit_);
    });
}

Id GridPosition::row() {
    const Id u32 = emit_.types().uint32();
    const Id lane = this->lane();
    return once(row_, [&] {
        const Id row = emit_.divInt(u32, lane, emit_.constant(grid_.columns));
        if (grid_.rows * grid_.columns >= lanes_) return row;
        return emit_.modInt(u32, row, emit_.constant(grid_.rows));
    });
}

Id GridPosition::column() {
    const Id lane = this->lane();
    return once(column_, [&] {
        return emit_.modInt(emit_.types().uint32(), lane, emit_.constant(grid_.columns));
    });
}

Id GridPosition::axisLane(Id gridLane, uint32_t lanes, uint32_t gridLanes) {
    if (lanes == gridLanes) return gridLane;
    return once(axisLanes_[{gridLane, lanes}], [&] {
        return emit_.modInt(emit_.types().uint32(), gridLane, emit_.constant(lanes));
    });
}

Id GridPosition::isNoDuplicate(Emitter& emit, uint32_t rowLanes, uint32_t columnLanes) {
    TypeTable& t = emit.types();
    Id condition = 0;
    const auto require = [&](Id place, uint32_t below, uint32_t all) {
        if (below >= all) return;
        const Id isBelow =
            emit.op(spv::Op::OpULessThan, t.boolType(), {place, t.constantU32(below)});
        condition = condition == 0
                        ? isBelow
                        : emit.op(spv::Op::OpLogicalAnd, t.boolType(), {condition, isBelow});
    };
    require(row(), rowLanes, grid_.rows);
    require(column(), columnLanes, grid_.columns);
    require(lane(), grid_.rows * grid_.columns, lanes_);
    return condition;
}

Id indexOn(Emitter& emit, const Axis& axis, Id lane, uint32_t local) {
    const Id u32 = emit.types().uint32();
    if (axis.lanes == 1) return emit.constant(axis.base(local));
    const Id begin = emit.mulInt(u32, lane, emit.constant(axis.block));
    return emit.addInt(u32, begin, emit.constant(axis.base(local)));
}

}  // namespace coopvk::rewrite
