// SPDX-License-Identifier: Apache-2.0
//
// Memory Operands (SPIR-V specification, section 3.32) of one access, for the accesses that it
// becomes.
#pragma once

#include "ir/instruction.hpp"

namespace coopvk::rewrite {

namespace memory_access {

constexpr auto bit(spv::MemoryAccessMask mask) { return static_cast<uint32_t>(mask); }
inline constexpr uint32_t kAligned = bit(spv::MemoryAccessMask::Aligned);
inline constexpr uint32_t kAvailable = bit(spv::MemoryAccessMask::MakePointerAvailable);
inline constexpr uint32_t kVisible = bit(spv::MemoryAccessMask::MakePointerVisible);

}  // namespace memory_access

class MemoryOperands {
 public:
    MemoryOperands() = default;
    // The set that starts at the front; what follows it is left alone.
    explicit MemoryOperands(std::span<const Operand> operands);
    // For an access to `bytes` bytes that lies at a multiple of them.
    Operands forLoad(uint32_t bytes) const { return build(bytes, true); }
    Operands forStore(uint32_t bytes) const { return build(bytes, false); }

    // 0: not said.
    uint32_t alignment() const { return alignment_; }
    uint32_t mask() const { return mask_; }
    // Of MakePointerVisible, else of MakePointerAvailable; 0: neither is there.
    Id scope() const { return visible_ != 0 ? visible_ : available_; }

 private:
    Operands build(uint32_t bytes, bool isLoad) const;

    uint32_t mask_ = 0;
    uint32_t alignment_ = 0;
    Id available_ = 0;  // scopes
    Id visible_ = 0;
    Operands further_;  // parameters of later bits, as they are
};

// Operands of the set at the front.
size_t memoryOperandCount(std::span<const Operand> operands);

// What OpCopyMemory says about its two sides: one set is for both, two are for the target and the
// source.
struct CopyOperands {
    MemoryOperands target;
    MemoryOperands source;
};
CopyOperands copyOperands(const Instruction& copy);

}  // namespace coopvk::rewrite
