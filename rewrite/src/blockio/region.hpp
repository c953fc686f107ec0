// SPDX-License-Identifier: Apache-2.0
//
// The region of memory of a block instruction: accesses to at most 16 bytes at a row and a column.
#pragma once

#include "ir/memory_operands.hpp"
#include "lowering/element_pointer.hpp"
#include "lowering/function_writer.hpp"

namespace coopvk::rewrite {

class BlockRegion {
 public:
    // Errors name `at`; `pitch` is an integer scalar, in bytes.
    BlockRegion(LoweringContext& context, Emitter& emit, Id pointer, Id pitch,
                const Instruction& at);

    bool valid() const { return valid_; }
    // The width of all accesses, in bytes; 0: any.
    uint32_t onlyWidth() const { return onlyWidth_; }
    // The base pointer's offset in bytes (u32), on which the alignment of accesses depends; 0: the
    // base pointer is known to be aligned to 16 bytes.
    Id misalignment() const { return misalignment_; }

    // Type of an access: a scalar of 1, 2 or 4 bytes, or a vector of 32-bit scalars.
    Id type(uint32_t bytes);
    // `row` and `column` (in bytes) are u32, inside the region.
    Id load(Emitter& emit, uint32_t bytes, Id row, Id column);
    void store(Emitter& emit, uint32_t bytes, Id row, Id column, Id value);

 private:
    enum class Kind { kAddress, kBinding, kPointer };
    Id baseAddress(Emitter& emit, Id pointer);
    bool resolveBinding(Emitter& emit, Id pointer, const Instruction& at);
    void resolvePointer(Emitter& emit, Id pointer, const Instruction& at);
    Id pointerTo(Emitter& emit, uint32_t bytes, Id row, Id column);
    Id address(Emitter& emit, Id row, Id column);
    Id wordPairAddress(Emitter& emit, Id row, Id column);
    void declare(uint32_t bytes);
    MemoryOperands memory() const;

    LoweringContext& context_;
    Kind kind_ = Kind::kAddress;
    bool valid_ = false;
    uint32_t onlyWidth_ = 0;
    Id misalignment_ = 0;
    Id base_ = 0;        // kAddress: a u64 or two u32
    BufferPlace place_;  // kBinding
    Id pitch_ = 0;
    std::optional<ElementPointer> elements_;  // kPointer
};

}  // namespace coopvk::rewrite
