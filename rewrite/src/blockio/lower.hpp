// SPDX-License-Identifier: Apache-2.0
//
// Lowers SPV_INTEL_2d_block_io to core SPIR-V.
//
//   OpSubgroup2DBlockLoadINTEL %size %width %height %count %base %w %h %pitch %at %private
//
//   if (all elements are inside the region, and rows are aligned) {
//       loads of 16 bytes, stores to the invocation's elements in %private
//   } else if (all are inside) {
//       the same with loads of one element
//   } else {
//       the same, with zero for elements beyond the region
//   }
#pragma once

#include "blockio/block_plan.hpp"
#include "ir/types.hpp"
#include "lowering/context.hpp"
#include "lowering/memory.hpp"
#include "lowering/memory_types.hpp"
#include "lowering/words.hpp"

namespace coopvk::rewrite {

// The region of memory of a block instruction: accesses to at most 16 bytes at a row and a column.

class BlockRegion {
 public:
    // Errors name `at`; `pitch` is an integer scalar, in bytes.
    BlockRegion(LoweringContext& context, Emitter& emit, Id pointer, Id pitch,
                const Instruction& at);

    bool valid() const { return valid_; }
    // The width that all accesses must have, in bytes, if only one is possible.
    std::optional<uint32_t> onlyWidth() const { return onlyWidth_; }
    // The base pointer's offset in bytes (u32), on which the alignment of accesses depends, unless
    // the pointer is known to be aligned to 16 bytes.
    std::optional<Id> misalignment() const { return misalignment_; }

    // Type of an access: a scalar of 1, 2 or 4 bytes, or a vector of 32-bit scalars.
    Id type(uint32_t bytes);
    // `row` and `column` (in bytes) are u32, inside the region.
    Id load(Emitter& emit, uint32_t bytes, Id row, Id column);
    void store(Emitter& emit, uint32_t bytes, Id row, Id column, Id value);

 private:
    Id baseAddress(Emitter& emit, Id pointer);
    bool resolve(Emitter& emit, Id pointer, const Instruction& at);
    std::pair<Memory, Id> at(Emitter& emit, uint32_t bytes, Id row, Id column);
    Id address(Emitter& emit, Id row, Id column);
    Id wordPairAddress(Emitter& emit, Id row, Id column);

    LoweringContext& context_;
    bool valid_ = false;
    std::optional<uint32_t> onlyWidth_;
    std::optional<Id> misalignment_;
    Id pitch_ = 0;
    std::optional<Memory> memory_;
    Id base_ = 0;  // without memory_, the address: a u64 or two u32
};

// Specialization constants must be frozen. Also drops prefetches and cache controls.
std::optional<Error> lowerBlockIo(LoweringContext& context);

// The first step: CrossWorkgroup pointers become PhysicalStorageBuffer pointers. Memory without an
// explicit layout gets OpenCL's layout.
void lowerCrossWorkgroupPointers(LoweringContext& context);

// A block load or store: each invocation accesses its elements.
//
// No access is beyond the region or the block: there, loads read the region's first element and
// return zero, and stores do nothing. An access takes several neighbouring elements if the
// coordinate, the pitch and the region's width allow it. The shader tests that once for all blocks.

// Emits into the writer's current block. `memory` has scalars of a variable (Src Pointer, or Dst
// Pointer).
void accessBlock(LoweringContext& context, FunctionWriter& writer, const Instruction& at,
                 const BlockOperands& operands, BlockRegion& region, Memory& memory);

// The layout of CrossWorkgroup memory, whose types need no layout decorations: that of OpenCL C
// (MemoryLayout::kOpenCl).

class OpenClLayout final : public MemoryTypes {
 public:
    // For memory behind pointers of the types `pointers`.
    OpenClLayout(LoweringContext& context, const std::unordered_set<Id>& pointers);

    // In bytes, at most kTooManyBytes; 0 for types without a size. Respects layout decorations.
    uint64_t size(Id type) { return sizes_.of(type).bytes; }
    uint32_t scalarBytes(Id type) { return sizes_.of(type).scalarAlignment; }

 private:
    bool isPointer(Id type) const override { return pointers_.contains(type); }
    bool hasLayout(const Instruction& type) const override;
    void addLayout(const Instruction& type, Id copy) override;

    const std::unordered_set<Id>& pointers_;
    TypeSizes sizes_;
};

}  // namespace coopvk::rewrite
