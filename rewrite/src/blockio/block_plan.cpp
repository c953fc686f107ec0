// SPDX-License-Identifier: Apache-2.0
#include "blockio/block_plan.hpp"

#include <algorithm>
#include <bit>
#include <format>

namespace coopvk::rewrite {

namespace {

constexpr uint32_t kWidestAccess = 16;  // bytes

// Rows whose elements a 32-bit value of a transformed block holds.
uint32_t rowsPerValue(BlockOperation operation, const BlockShape& shape) {
    return operation == BlockOperation::kLoadTransform ? 4 / shape.elementSize : 1;
}

BlockPlan planRows(BlockOperation operation, const BlockShape& shape, uint32_t lanes) {
    BlockPlan plan;
    const uint32_t together = rowsPerValue(operation, shape);
    const uint32_t padded = std::bit_ceil(shape.width);
    const uint32_t rows = divideUp(shape.height, together);
    const uint32_t neighbours = std::max(padded / lanes, 1u);
    const uint32_t rowsAtOnce = std::max(lanes / padded, 1u);
    plan.columns = {1, std::min(padded, lanes), neighbours};
    plan.rows = {std::min(padded, lanes), rowsAtOnce, together};
    plan.steps = divideUp(rows, rowsAtOnce);
    plan.rowStep = rowsAtOnce * together;
    for (uint32_t column = 0; column < neighbours; ++column) {
        for (uint32_t row = 0; row < together; ++row) plan.pattern.push_back({row, column});
    }
    return plan;
}

BlockPlan planTransposed(const BlockShape& shape, uint32_t lanes) {
    BlockPlan plan;
    const uint32_t padded = std::bit_ceil(shape.height);
    const uint32_t neighbours = std::max(padded / lanes, 1u);
    const uint32_t columnsAtOnce = std::max(lanes / padded, 1u);
    plan.rows = {1, std::min(padded, lanes), neighbours};
    plan.columns = {std::min(padded, lanes), columnsAtOnce, 1};
    // If a lane holds whole rows, a step has several columns, which one access can take.
    const uint32_t run = powerOfTwoIn(shape.width);
    const uint32_t together =
        columnsAtOnce > 1 ? 1 : std::min(run, kWidestAccess / shape.elementSize);
    plan.steps = divideUp(shape.width, columnsAtOnce * together);
    plan.columnStep = columnsAtOnce * together;
    for (uint32_t column = 0; column < together; ++column) {
        for (uint32_t row = 0; row < neighbours; ++row) plan.pattern.push_back({row, column});
    }
    return plan;
}

}  // namespace

bool canAccessElements(const DeviceFeatures& device, uint32_t elementSize) {
    if (elementSize == 1) return device.shaderInt8 && device.storageBuffer8BitAccess;
    if (elementSize == 2) return device.shaderInt16 && device.storageBuffer16BitAccess;
    return true;
}

std::optional<std::string> brokenRule(BlockOperation operation, const BlockShape& shape) {
    const uint32_t size = shape.elementSize;
    if (!std::has_single_bit(size) || size > 8) {
        return std::format("Element Size must be 1, 2, 4 or 8 bytes, is {}", size);
    }
    if (size < 4 && shape.width % (4 / size) != 0) {
        return std::format("Block Width must be a multiple of {} for {}-byte elements, is {}",
                           4 / size, size, shape.width);
    }
    if (operation == BlockOperation::kLoadTransform && size > kMaxTransformedSize) {
        return "elements of 8 bytes cannot be transformed into 32-bit values";
    }
    const bool positive = shape.width > 0 && shape.height > 0 && shape.count > 0;
    if (!positive || std::max({shape.width, shape.height, shape.count}) > kMaxBlockSize) {
        return std::format(
            "Block Width, Block Height and Block Count must be from 1 to 2^24, are "
            "{}, {} and {}",
            shape.width, shape.height, shape.count);
    }
    return std::nullopt;
}

bool BlockPlan::padsRows(const BlockShape& shape) const {
    const uint64_t last = rows.last() + uint64_t{steps - 1} * rowStep;
    return last + std::ranges::max(pattern, {}, &BlockElement::row).row >= shape.height;
}

bool BlockPlan::padsColumns(const BlockShape& shape) const {
    const uint64_t last = columns.last() + uint64_t{steps - 1} * columnStep;
    return last + std::ranges::max(pattern, {}, &BlockElement::column).column >= shape.width;
}

uint32_t BlockPlan::longestRun(const BlockShape& shape) const {
    const uint32_t columnCount = std::ranges::max(pattern, {}, &BlockElement::column).column + 1;
    uint32_t run = kWidestAccess / shape.elementSize;
    const auto divides = [&](uint32_t value) { return value % run == 0; };
    // Lanes are as many columns apart, or one where the pattern has one.
    while (!divides(columnCount) || !divides(shape.width)) run /= 2;
    return run;
}

BlockPlan planBlock(BlockOperation operation, const BlockShape& shape, uint32_t subgroupSize) {
    return operation == BlockOperation::kLoadTranspose ? planTransposed(shape, subgroupSize)
                                                       : planRows(operation, shape, subgroupSize);
}

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
        const Id enough = emit_.compare(OpUGreaterThanEqual, size, least);
        const Id last = emit_.op(OpISub, emit_.typeOf(size), {size, least});
        return emit_.both(enough, emit_.compare(OpULessThanEqual, start, last));
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

BlockPositions::Coordinate BlockPositions::coordinateAt(const Axis& axis, Id start, Id position,
                                                        uint32_t offset) {
    const Id inBlock = emit_.plus(position, offset);
    const Id index = emit_.addU32(start, inBlock);
    Condition valid = inside_ ? Condition::always() : Condition(below(index, axis.regionSize));
    if (axis.isPadded) {
        valid = emit_.both(valid, Condition(below(inBlock, emit_.constant(axis.blockSize))));
    }
    return {index, valid};
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
