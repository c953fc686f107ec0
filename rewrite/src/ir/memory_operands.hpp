// SPDX-License-Identifier: Apache-2.0
//
// Memory Operands (SPIR-V specification, section 3.32) of one access, for the accesses that it
// becomes.
#pragma once

#include "ir/instruction.hpp"

namespace coopvk::rewrite {

class MemoryOperands {
 public:
    MemoryOperands() = default;
    // The set that starts at the front; what follows it is left alone.
    explicit MemoryOperands(std::span<const Operand> operands);

    // For an access to `bytes` bytes that lies at a multiple of them.
    Operands forLoad(uint32_t bytes) const { return build(bytes, true); }
    Operands forStore(uint32_t bytes) const { return build(bytes, false); }
    void appendKey(std::vector<uint32_t>& key) const;

    // 0: not said.
    uint32_t alignment() const { return alignment_; }
    // The same set with another alignment (0: none).
    MemoryOperands withAlignment(uint32_t alignment) const;

 private:
    Operands build(uint32_t bytes, bool isLoad) const;

    uint32_t mask_ = 0;
    uint32_t alignment_ = 0;
    Id available_ = 0;  // scopes
    Id visible_ = 0;
    Operands further_;  // parameters of later bits, as they are
};

// More than the size of any access: with this alignment each access is aligned to its size.
inline constexpr uint32_t kAnyAlignment = 1u << 16;

// Operands of the set at the front.
size_t memoryOperandCount(std::span<const Operand> operands);

// Whether the set at the front says Volatile.
bool isVolatile(std::span<const Operand> operands);

// Adds an alignment to the set that starts at operand `first`, where it has none.
void alignOperands(Instruction& access, size_t first, uint32_t bytes);

// What OpCopyMemory says about its two sides: one set is for both, two are for the target and the
// source.
struct CopyOperands {
    MemoryOperands target;
    MemoryOperands source;
};
CopyOperands copyOperands(const Instruction& copy);

}  // namespace coopvk::rewrite
