// SPDX-License-Identifier: Apache-2.0
#include "blockio/block_positions.hpp"

namespace coopvk::rewrite {

BlockPositions::BlockPositions(LoweringContext& context, FunctionWriter& writer,
                               const BlockOperands& operands, const BlockPlan& plan)
    : context_(context),
      writer_(writer),
      ops_(operands),
      plan_(plan),
      rows_{laneTerm(plan.rows), operands.height, shape_.height, plan.padsRows(shape_)},
      columns_{laneTerm(plan.columns), emit_.over(operands.width, shape_.elementSize), shape_.width,
               plan.padsColumns(shape_)} {}

Id BlockPositions::laneTerm(const LaneTerm& term) {
    if (term.factor == 0 || term.modulus == 1) return emit_.constant(0);
    Id value = emit_.over(writer_.lane(), term.divisor);
    if (term.divisor * term.modulus < context_.target.subgroupSize) {
        value = emit_.modulo(value, term.modulus);
    }
    return emit_.times(value, term.factor);
}

// Comparisons are unsigned: negative coordinates are beyond the region.
Id BlockPositions::isInside() {
    const auto fits = [&](Id size, Id start, uint32_t needed) {
        const Id least = emit_.constant(needed);
        const Id enough = emit_.compare(spv::Op::OpUGreaterThanEqual, size, least);
        const Id last = emit_.op(spv::Op::OpISub, emit_.typeOf(size), {size, least});
        return emit_.both(enough, emit_.compare(spv::Op::OpULessThanEqual, start, last));
    };
    return emit_.both(fits(columns_.regionSize, ops_.x, shape_.width * shape_.count),
                      fits(rows_.regionSize, ops_.y, shape_.height));
}

BlockStep BlockPositions::stepAt(Id step) {
    const bool one = shape_.count == 1;
    const Id block = one ? emit_.constant(0) : emit_.over(step, plan_.steps);
    const Id inBlock = one ? step : emit_.modulo(step, plan_.steps);
    return {emit_.addU32(ops_.x, emit_.times(block, shape_.width)),
            emit_.addU32(emit_.times(inBlock, plan_.rowStep), rows_.lane),
            emit_.addU32(emit_.times(inBlock, plan_.columnStep), columns_.lane)};
}

void BlockPositions::forget() {
    rows_.known.clear();
    columns_.known.clear();
}

BlockPositions::Coordinate BlockPositions::coordinateAt(Axis& axis, Id start, Id position,
                                                        uint32_t offset) {
    const auto [entry, isNew] = axis.known.try_emplace(std::tuple(start, position, offset));
    if (isNew) {
        const Id inBlock = emit_.plus(position, offset);
        const Id index = emit_.addU32(start, inBlock);
        Id valid = inside_ ? 0 : below(index, axis.regionSize);
        if (axis.isPadded) {
            valid = emit_.both(valid, below(inBlock, emit_.constant(axis.blockSize)));
        }
        entry->second = {index, valid};
    }
    return entry->second;
}

RegionPosition BlockPositions::at(const BlockStep& step, uint32_t row, uint32_t byte) {
    const Coordinate line = coordinateAt(rows_, ops_.y, step.row, row);
    const Coordinate column =
        coordinateAt(columns_, step.x, step.column, byte / shape_.elementSize);
    const Id bytes = emit_.times(column.index, shape_.elementSize);
    return {line.index, emit_.plus(bytes, byte % shape_.elementSize),
            emit_.both(line.valid, column.valid)};
}

}  // namespace coopvk::rewrite
