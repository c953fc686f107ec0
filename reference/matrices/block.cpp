// SPDX-License-Identifier: Apache-2.0
#include "matrices/block.hpp"

#include <algorithm>
#include <bit>

namespace coopvk::reference::matrices {

BlockMapping::BlockMapping(const Block& block, uint32_t subgroupSize)
    : block_(block), subgroupSize_(subgroupSize) {
    const bool transpose = block.kind == BlockKind::transpose;
    elementsOfValue_ = block.kind == BlockKind::transform ? 4 / block.elementSize : 1;
    width_ = std::bit_ceil(transpose ? block.height : block.width);
    height_ = transpose ? block.width : (block.height + elementsOfValue_ - 1) / elementsOfValue_;
    if (width_ >= subgroupSize) {
        valuesOfBlock_ = width_ / subgroupSize * height_;
    } else {
        const uint32_t rowsAtOnce = subgroupSize / width_;
        valuesOfBlock_ = (height_ + rowsAtOnce - 1) / rowsAtOnce;
    }
}

BlockElement BlockMapping::element(uint32_t invocation, uint32_t value, uint32_t part) const {
    const uint32_t block = value / valuesOfBlock_;
    const uint32_t ofBlock = value % valuesOfBlock_;
    const uint32_t ofRow =
        std::max(width_ / subgroupSize_, 1u);  // values of an invocation in a row
    const uint32_t rowsAtOnce = std::max(subgroupSize_ / width_, 1u);
    const uint32_t row = ofBlock / ofRow * rowsAtOnce + invocation / width_;
    const uint32_t column = invocation % width_ * ofRow + ofBlock % ofRow;
    BlockElement element{column, row * elementsOfValue_ + part, false};
    if (block_.kind == BlockKind::transpose) std::swap(element.column, element.row);
    element.padding = element.column >= block_.width || element.row >= block_.height;
    element.column += block * block_.width;
    return element;
}

bool insideMemory(int64_t column, int64_t row, uint32_t elementSize, uint64_t memoryWidth,
                  uint64_t memoryHeight) {
    return column >= 0 && row >= 0 && uint64_t(row) < memoryHeight &&
           (uint64_t(column) + 1) * elementSize <= memoryWidth;
}

}  // namespace coopvk::reference::matrices
