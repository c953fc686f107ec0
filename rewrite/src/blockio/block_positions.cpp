// SPDX-License-Identifier: Apache-2.0
#include "blockio/block_positions.hpp"

namespace coopvk::rewrite {

BlockPositions::BlockPositions(LoweringContext& context, FunctionWriter& writer,
                               const BlockOperands& operands, const BlockPlan& plan)
    : context_(context),
      writer_(writer),
      ops_(operands),
      plan_(plan),
      laneRow_(laneTerm(plan.rows)),
      laneColumn_(laneTerm(plan.columns)),
      widthElements_(emit_.over(operands.width, shape_.elementSize)) {}

Id BlockPositions::laneTerm(const LaneTerm& term) {
    if (term.factor == 0 || term.modulus == 1) return constant(0);
    Id value = emit_.over(writer_.lane(), term.divisor);
    if (term.divisor * term.modulus < context_.target.subgroupSize) {
        value = emit_.modulo(value, term.modulus);
    }
    return emit_.times(value, term.factor);
}

// The coordinates are unsigned: negative ones are beyond the region.
Id BlockPositions::isInside() {
    const auto fits = [&](Id size, Id start, uint32_t needed) {
        const Id enough = emit_.compare(spv::Op::OpUGreaterThanEqual, size, constant(needed));
        const Id last = emit_.op(spv::Op::OpISub, emit_.typeOf(size), {size, constant(needed)});
        return emit_.both(enough, emit_.compare(spv::Op::OpULessThanEqual, start, last));
    };
    return emit_.both(fits(widthElements_, ops_.x, shape_.width * shape_.count),
                      fits(ops_.height, ops_.y, shape_.height));
}

BlockStep BlockPositions::stepAt(Id step) {
    const bool one = shape_.count == 1;
    const Id block = one ? constant(0) : emit_.over(step, plan_.steps);
    const Id inBlock = one ? step : emit_.modulo(step, plan_.steps);
    return {emit_.addU32(ops_.x, emit_.times(block, shape_.width)),
            emit_.addU32(emit_.times(inBlock, plan_.rowStep), laneRow_),
            emit_.addU32(emit_.times(inBlock, plan_.columnStep), laneColumn_)};
}

void BlockPositions::forget() {
    rowMemo_.clear();
    columnMemo_.clear();
}

BlockPositions::Line BlockPositions::rowAt(const BlockStep& step, uint32_t constantRow) {
    const auto [entry, isNew] = rowMemo_.try_emplace(std::pair(step.row, constantRow));
    if (isNew) {
        const Id row = emit_.plus(step.row, constantRow);
        const Id index = emit_.addU32(ops_.y, row);
        Id valid = inside_ ? 0 : below(index, ops_.height);
        if (rowsPadded_) valid = emit_.both(valid, below(row, constant(shape_.height)));
        entry->second = {index, valid};
    }
    return entry->second;
}

BlockPositions::Line BlockPositions::columnAt(const BlockStep& step, uint32_t constantColumn) {
    const auto [entry, isNew] =
        columnMemo_.try_emplace(std::tuple(step.x, step.column, constantColumn));
    if (isNew) {
        const Id column = emit_.plus(step.column, constantColumn);
        const Id index = emit_.addU32(step.x, column);
        Id valid = inside_ ? 0 : below(index, widthElements_);
        if (columnsPadded_) valid = emit_.both(valid, below(column, constant(shape_.width)));
        entry->second = {index, valid};
    }
    return entry->second;
}

BlockPlace BlockPositions::at(const BlockStep& step, uint32_t row, uint32_t byte) {
    const Line line = rowAt(step, row);
    const Line column = columnAt(step, byte / shape_.elementSize);
    const Id bytes = emit_.times(column.index, shape_.elementSize);
    return {line.index, emit_.plus(bytes, byte % shape_.elementSize),
            emit_.both(line.valid, column.valid)};
}

}  // namespace coopvk::rewrite
