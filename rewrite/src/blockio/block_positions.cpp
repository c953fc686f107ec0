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
      widthElements_(emit_.divInt(u32_, operands.width, constant(shape_.elementSize))) {}

Id BlockPositions::laneTerm(const LaneTerm& term) {
    if (term.factor == 0 || term.modulus == 1) return constant(0);
    Id value = emit_.divInt(u32_, writer_.lane(), constant(term.divisor));
    if (term.divisor * term.modulus < context_.target.subgroupSize) {
        value = emit_.modInt(u32_, value, constant(term.modulus));
    }
    return emit_.mulInt(u32_, value, constant(term.factor));
}

// The coordinates are unsigned: negative ones are beyond the region.
Id BlockPositions::isInside() {
    const auto fits = [&](Id size, Id start, uint32_t needed) {
        const Id enough =
            emit_.op(spv::Op::OpUGreaterThanEqual, types_.boolType(), {size, constant(needed)});
        const Id last = emit_.op(spv::Op::OpISub, u32_, {size, constant(needed)});
        return both(enough, emit_.op(spv::Op::OpULessThanEqual, types_.boolType(), {start, last}));
    };
    return both(fits(widthElements_, ops_.x, shape_.width * shape_.count),
                fits(ops_.height, ops_.y, shape_.height));
}

BlockStep BlockPositions::stepAt(Id step) {
    const bool one = shape_.count == 1;
    const Id block = one ? constant(0) : emit_.divInt(u32_, step, constant(plan_.steps));
    const Id inBlock = one ? step : emit_.modInt(u32_, step, constant(plan_.steps));
    return {add(ops_.x, emit_.mulInt(u32_, block, constant(shape_.width))),
            add(emit_.mulInt(u32_, inBlock, constant(plan_.rowStep)), laneRow_),
            add(emit_.mulInt(u32_, inBlock, constant(plan_.columnStep)), laneColumn_)};
}

void BlockPositions::forget() {
    rowMemo_.clear();
    columnMemo_.clear();
}

BlockPositions::Line BlockPositions::rowAt(const BlockStep& step, uint32_t constantRow) {
    const auto [entry, isNew] = rowMemo_.try_emplace(std::pair(step.row, constantRow));
    if (isNew) {
        const Id row = add(step.row, constant(constantRow));
        const Id index = add(ops_.y, row);
        Id valid = inside_ ? 0 : below(index, ops_.height);
        if (rowsPadded_) valid = both(valid, below(row, constant(shape_.height)));
        entry->second = {index, valid};
    }
    return entry->second;
}

BlockPositions::Line BlockPositions::columnAt(const BlockStep& step, uint32_t constantColumn) {
    const auto [entry, isNew] =
        columnMemo_.try_emplace(std::tuple(step.x, step.column, constantColumn));
    if (isNew) {
        const Id column = add(step.column, constant(constantColumn));
        const Id index = add(step.x, column);
        Id valid = inside_ ? 0 : below(index, widthElements_);
        if (columnsPadded_) valid = both(valid, below(column, constant(shape_.width)));
        entry->second = {index, valid};
    }
    return entry->second;
}

BlockPlace BlockPositions::at(const BlockStep& step, uint32_t row, uint32_t byte) {
    const Line line = rowAt(step, row);
    const Line column = columnAt(step, byte / shape_.elementSize);
    const Id bytes = emit_.mulInt(u32_, column.index, constant(shape_.elementSize));
    return {line.index, add(bytes, constant(byte % shape_.elementSize)),
            both(line.valid, column.valid)};
}

}  // namespace coopvk::rewrite
