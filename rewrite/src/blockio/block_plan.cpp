// SPDX-License-Identifier: Apache-2.0
#include "blockio/block_plan.hpp"

#include <algorithm>
#include <bit>
#include <format>

namespace coopvk::rewrite {

namespace {

constexpr uint32_t kWidestAccess = 16;  // bytes

uint32_t divideUp(uint32_t a, uint32_t b) { return (a + b - 1) / b; }

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
    const uint32_t run = shape.width & (~shape.width + 1);
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

bool canAccessElements(const DeviceTraits& device, uint32_t elementSize) {
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
    while (!divides(columnCount) || !divides(columns.factor * (columns.modulus > 1)) ||
           !divides(columnStep) || !divides(shape.width)) {
        run /= 2;
    }
    return run;
}

BlockPlan planBlock(BlockOperation operation, const BlockShape& shape, uint32_t subgroupSize) {
    return operation == BlockOperation::kLoadTranspose ? planTransposed(shape, subgroupSize)
                                                       : planRows(operation, shape, subgroupSize);
}

}  // namespace coopvk::rewrite
