// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace coopvk::reference::matrices {

enum class BlockKind : uint8_t { plain, transpose, transform };

// SPV_INTEL_2d_block_io: blocks of `width` x `height` elements, `count` of them beside each other.
struct Block {
    BlockKind kind = BlockKind::plain;
    uint32_t elementSize = 1;  // bytes
    uint32_t width = 0, height = 0, count = 0;
};

// An element of the blocks as they lie in memory: column from the first block's left edge on.
struct BlockElement {
    uint32_t column = 0, row = 0;
    bool padding = false;  // not in the block: zero for loads, ignored for stores
};

// "Mapping Block Data to Invocations": the destination of an invocation is an array of values,
// which are elements, or for transformed blocks 32-bit integers of several elements (lower rows in
// lower bits).
class BlockMapping {
 public:
    BlockMapping(const Block& block, uint32_t subgroupSize);

    uint32_t valuesOfInvocation() const { return valuesOfBlock_ * block_.count; }
    uint32_t elementsOfValue() const { return elementsOfValue_; }
    uint32_t valueSize() const { return elementsOfValue_ * block_.elementSize; }  // bytes
    BlockElement element(uint32_t invocation, uint32_t value, uint32_t part) const;

 private:
    Block block_;
    uint32_t subgroupSize_;
    uint32_t elementsOfValue_;
    uint32_t width_, height_;  // padded, transposed, in values
    uint32_t valuesOfBlock_;   // of an invocation
};

// "Out-of-Bounds Behavior" of the element at these coordinates (in elements and rows); sizes: in
// bytes and rows.
bool insideMemory(int64_t column, int64_t row, uint32_t elementSize, uint64_t memoryWidth,
                  uint64_t memoryHeight);

}  // namespace coopvk::reference::matrices
