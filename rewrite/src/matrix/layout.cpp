// SPDX-License-Identifier: Apache-2.0
#include "matrix/layout.hpp"

#include <algorithm>
#include <bit>

#include "lowering/context.hpp"

namespace coopvk::rewrite {

namespace {

// A lane holds `block` neighbours together where the size allows it; 0: all that it holds.
Axis makeAxis(uint32_t size, uint32_t lanes, uint32_t block) {
    Axis axis;
    axis.size = size;
    axis.lanes = std::min(lanes, powerOfTwoIn(size));
    axis.block =
        axis.lanes == 1 || block == 0 ? axis.count() : std::min(block, powerOfTwoIn(axis.count()));
    return axis;
}

}  // namespace

Fragment makeFragment(const LayoutPolicy& policy, Use use, uint32_t rows, uint32_t columns,
                      uint32_t componentBits) {
    Fragment fragment;
    fragment.rows = makeAxis(rows, use == Use::kB ? 1 : policy.grid.rows, policy.rowBlock);
    fragment.columns =
        makeAxis(columns, use == Use::kA ? 1 : policy.grid.columns, policy.columnBlock);
    // Dot products read neighbours along K; packed 16-bit arithmetic reads pairs along N or K.
    const bool alongRows =
        use == Use::kB && (componentBits <= 8 || (componentBits == 16 && policy.halfPairsAlongK));
    fragment.packAxis = alongRows ? PackAxis::kRows : PackAxis::kColumns;
    const uint32_t packed = alongRows ? fragment.rows.count() : fragment.columns.count();
    fragment.packWidth = std::min(powerOfTwoIn(packed), std::max(1u, 32 / componentBits));
    return fragment;
}

Fragment makeWorkgroupFragment(const LayoutPolicy& policy, uint32_t rows, uint32_t columns,
                               uint32_t componentBits) {
    const auto axis = [](uint32_t size, uint32_t lanes) {
        const uint32_t blocks = std::max(1u, powerOfTwoIn(size) / kWorkgroupBlock);
        return makeAxis(size, std::min(lanes, blocks), kWorkgroupBlock);
    };
    Fragment fragment;
    fragment.scope = LaneScope::kWorkgroup;
    fragment.rows = axis(rows, policy.workgroup.rows);
    fragment.columns = axis(columns, policy.workgroup.columns);
    fragment.packWidth = std::max(1u, 32 / componentBits);
    return fragment;
}

Fragment makeRunFragment(const LayoutPolicy& policy, Run run, uint32_t rows, uint32_t columns,
                         uint32_t componentBits) {
    const uint32_t lanes = policy.workgroup.rows * policy.workgroup.columns;
    Fragment fragment;
    fragment.scope = LaneScope::kWorkgroup;
    fragment.run = run;
    const bool alongRows = run.along == Dimension::kRows;
    Axis& along = alongRows ? fragment.rows : fragment.columns;
    Axis& across = alongRows ? fragment.columns : fragment.rows;
    along.size = alongRows ? rows : columns;
    along.lanes = std::min(lanes, powerOfTwoIn(along.size / run.length));
    along.block = run.length;
    across.size = alongRows ? columns : rows;
    across.lanes = std::min(lanes / along.lanes, powerOfTwoIn(across.size));
    fragment.packWidth = std::max(1u, 32 / componentBits);
    fragment.packAxis = alongRows ? PackAxis::kRows : PackAxis::kColumns;
    return fragment;
}

Fragment makeMappedFragment(const MappedLanes& map, uint32_t rows, uint32_t columns,
                            uint32_t componentBits) {
    const auto axis = [](uint32_t size, uint32_t lanes, uint32_t block) {
        return makeAxis(size, block == kUndivided ? 1 : lanes, block);
    };
    Fragment fragment;
    fragment.map = map;
    fragment.rows = axis(rows, map.grid.rows, map.rowBlock);
    fragment.columns = axis(columns, map.grid.columns, map.columnBlock);
    fragment.packAxis = map.hasElementsByColumns ? PackAxis::kRows : PackAxis::kColumns;
    const Axis& along = map.hasElementsByColumns ? fragment.rows : fragment.columns;
    fragment.packWidth = std::min(powerOfTwoIn(along.count()), std::max(1u, 32 / componentBits));
    return fragment;
}

Grid makeGrid(uint32_t lanes, bool tall) {
    const auto log2 = static_cast<uint32_t>(std::bit_width(lanes)) - 1;
    const uint32_t smaller = 1u << log2 / 2;
    const uint32_t larger = lanes / smaller;
    return tall ? Grid{larger, smaller} : Grid{smaller, larger};
}

Id GridPosition::lane() {
    return once(lane_, [&] {
        if (lanes_.scope == LaneScope::kSubgroup) return readLane(emit_);
        return limited(lanes_.cellsAreSubgroups ? numberBySubgroup() : readInvocation(emit_));
    });
}

Id GridPosition::numberBySubgroup() {
    const Id first = emit_.times(readSubgroup(emit_), lanes_.cell.rows * lanes_.cell.columns);
    return emit_.addU32(first, readLane(emit_));
}

// Shows the compiler that a lane's number is below the number of lanes. Without this, NVIDIA's
// driver 580 loses what some lanes store to shared memory (Matrix2Product, 80x48x32 in a workgroup
// of 2x32x1).
Id GridPosition::limited(Id lane) {
    return std::has_single_bit(lanes_.lanes) ? emit_.modulo(lane, lanes_.lanes) : lane;
}

Id GridPosition::laneInCell() {
    const Id lane = this->lane();
    return once(laneInCell_,
                [&] { return emit_.modulo(lane, lanes_.cell.rows * lanes_.cell.columns); });
}

Id GridPosition::digit(Value& value, uint32_t below, uint32_t count) {
    const Id lane = this->lane();
    return once(value, [&] {
        const Id whole = emit_.over(lane, below);
        return below * count >= lanes_.lanes ? whole : emit_.modulo(whole, count);
    });
}

Id GridPosition::row() {
    const Grid &grid = lanes_.grid, &cell = lanes_.cell;
    if (lanes_.isByColumns) return digit(row_, 1, grid.rows);
    const Id lane = this->lane();
    const bool isOneColumn = cell.columns == grid.columns;
    const Id inCell = isOneColumn ? lane : laneInCell();
    return once(row_, [&] {
        Id row = emit_.over(inCell, cell.columns);
        if (!isOneColumn) {
            const Id cellsAbove = emit_.over(lane, cell.rows * grid.columns);
            row = emit_.addU32(emit_.times(cellsAbove, cell.rows), row);
        }
        return grid.rows * grid.columns >= lanes_.lanes ? row : emit_.modulo(row, grid.rows);
    });
}

Id GridPosition::column() {
    const Grid &grid = lanes_.grid, &cell = lanes_.cell;
    if (lanes_.isByColumns) return digit(column_, grid.rows, grid.columns);
    const Id lane = this->lane();
    const uint32_t cellsAcross = grid.columns / cell.columns;
    const Id inCell = cellsAcross == 1 ? lane : laneInCell();
    return once(column_, [&] {
        const Id column = emit_.modulo(inCell, cell.columns);
        if (cellsAcross == 1) return column;
        const Id cellsLeft = emit_.modulo(emit_.over(lane, cell.rows * cell.columns), cellsAcross);
        return emit_.addU32(emit_.times(cellsLeft, cell.columns), column);
    });
}

Id GridPosition::laneOn(Dimension d, const Axis& axis) {
    const Id gridLane = coordinate(d);
    const uint32_t all = d == Dimension::kRows ? lanes_.grid.rows : lanes_.grid.columns;
    if (axis.lanes == all) return gridLane;
    return once(axisLanes_[{gridLane, axis.lanes}],
                [&] { return emit_.modulo(gridLane, axis.lanes); });
}

Id GridPosition::indexOn(Emitter& emit, Dimension d, const Axis& axis, uint32_t local) {
    return rewrite::indexOn(emit, axis, laneOn(d, axis), local);
}

Condition GridPosition::isNoDuplicate(Emitter& emit, uint32_t rowLanes, uint32_t columnLanes) {
    Condition condition = Condition::always();
    const auto require = [&](Id place, uint32_t below, uint32_t all) {
        if (below >= all) return;
        const Condition isBelow = emit.compare(OpULessThan, place, emit.constant(below));
        condition = emit.both(condition, isBelow);
    };
    const Grid& grid = lanes_.grid;
    require(row(), rowLanes, grid.rows);
    require(column(), columnLanes, grid.columns);
    require(lane(), grid.rows * grid.columns, lanes_.lanes);
    return condition;
}

Id indexOn(Emitter& emit, const Axis& axis, Id lane, uint32_t local) {
    if (axis.lanes == 1) return emit.constant(axis.base(local));
    return emit.plus(emit.times(lane, axis.block), axis.base(local));
}

Id indexOfValue(Emitter& emit, const Axis& axis, Id lane, Id local) {
    const Id block = emit.times(emit.over(local, axis.block), axis.lanes * axis.block);
    const Id base = emit.addU32(block, emit.modulo(local, axis.block));
    return axis.lanes == 1 ? base : emit.addU32(emit.times(lane, axis.block), base);
}

}  // namespace coopvk::rewrite
