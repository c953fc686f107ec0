// SPDX-License-Identifier: Apache-2.0
#include "matrix/layout.hpp"

#include <algorithm>
#include <bit>

#include "lowering/workgroup.hpp"

namespace coopvk::rewrite {

namespace {

// A lane holds `block` neighbours together where the size allows it; 0: all that it holds.
Axis makeAxis(uint32_t size, uint32_t lanes, uint32_t block) {
    Axis axis;
    axis.size = size;
    axis.lanes = std::min(lanes, largestPowerOfTwoIn(size));
    axis.block = axis.lanes == 1 || block == 0 ? axis.count()
                                               : std::min(block, largestPowerOfTwoIn(axis.count()));
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
    fragment.packWidth = std::min(largestPowerOfTwoIn(packed), std::max(1u, 32 / componentBits));
    return fragment;
}

Fragment makeWorkgroupFragment(const LayoutPolicy& policy, uint32_t rows, uint32_t columns,
                               uint32_t componentBits) {
    const auto axis = [](uint32_t size, uint32_t lanes) {
        const uint32_t blocks = std::max(1u, largestPowerOfTwoIn(size) / kWorkgroupBlock);
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
    along.lanes = std::min(lanes, largestPowerOfTwoIn(along.size / run.length));
    along.block = run.length;
    across.size = alongRows ? columns : rows;
    across.lanes = std::min(lanes / along.lanes, largestPowerOfTwoIn(across.size));
    fragment.packWidth = std::max(1u, 32 / componentBits);
    fragment.packAxis = alongRows ? PackAxis::kRows : PackAxis::kColumns;
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
        if (scope_ == LaneScope::kSubgroup) return readLane(emit_);
        return limited(cellsAreSubgroups_ ? numberBySubgroup() : readInvocation(emit_));
    });
}

Id GridPosition::numberBySubgroup() {
    const Id first = emit_.times(readSubgroup(emit_), cell_.rows * cell_.columns);
    return emit_.addU32(first, readLane(emit_));
}

// Shows the compiler that a number is below lanes_. Without this, NVIDIA's driver 580 loses what
// some lanes store to shared memory (Matrix2Product, 80x48x32 in a workgroup of 2x32x1).
Id GridPosition::limited(Id lane) {
    return std::has_single_bit(lanes_) ? emit_.modulo(lane, lanes_) : lane;
}

Id GridPosition::laneInCell() {
    const Id lane = this->lane();
    return once(laneInCell_, [&] { return emit_.modulo(lane, cell_.rows * cell_.columns); });
}

// lane / before % count.
Id GridPosition::lineOf(Id& line, uint32_t before, uint32_t count) {
    const Id lane = this->lane();
    return once(line, [&] {
        const Id whole = emit_.over(lane, before);
        return before * count >= lanes_ ? whole : emit_.modulo(whole, count);
    });
}

Id GridPosition::row() {
    if (isByColumns_) return lineOf(row_, 1, grid_.rows);
    const Id lane = this->lane();
    const bool isOneColumn = cell_.columns == grid_.columns;
    const Id inCell = isOneColumn ? lane : laneInCell();
    return once(row_, [&] {
        const Id row = emit_.over(inCell, cell_.columns);
        const Id whole =
            isOneColumn
                ? row
                : emit_.addU32(
                      emit_.times(emit_.over(lane, cell_.rows * grid_.columns), cell_.rows), row);
        return grid_.rows * grid_.columns >= lanes_ ? whole : emit_.modulo(whole, grid_.rows);
    });
}

Id GridPosition::column() {
    if (isByColumns_) return lineOf(column_, grid_.rows, grid_.columns);
    const Id lane = this->lane();
    const uint32_t across = grid_.columns / cell_.columns;
    const Id inCell = across == 1 ? lane : laneInCell();
    return once(column_, [&] {
        const Id column = emit_.modulo(inCell, cell_.columns);
        if (across == 1) return column;
        const Id cell = emit_.modulo(emit_.over(lane, cell_.rows * cell_.columns), across);
        return emit_.addU32(emit_.times(cell, cell_.columns), column);
    });
}

Id GridPosition::laneOn(Dimension d, const Axis& axis) {
    const Id gridLane = coordinate(d);
    if (axis.lanes == (d == Dimension::kRows ? grid_.rows : grid_.columns)) return gridLane;
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
    require(row(), rowLanes, grid_.rows);
    require(column(), columnLanes, grid_.columns);
    require(lane(), grid_.rows * grid_.columns, lanes_);
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
