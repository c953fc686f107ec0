// SPDX-License-Identifier: Apache-2.0
//
// Memory Operands (SPIR-V specification, section 3.32): reads those of an access, and makes those
// of the accesses that replace it.
#pragma once

#include "ir/instruction.hpp"

namespace coopvk::rewrite {

class MemoryOperands {
 public:
    MemoryOperands() = default;
    // Reads the set that `operands` start with; more operands may follow.
    explicit MemoryOperands(std::span<const Operand> operands);

    // For an access of `bytes` bytes at an address that is a multiple of `bytes`.
    Operands forLoad(uint32_t bytes) const { return build(bytes, true); }
    Operands forStore(uint32_t bytes) const { return build(bytes, false); }
    void appendKey(std::vector<uint32_t>& key) const;

    // In bytes; 0 without Aligned.
    uint32_t alignment() const { return alignment_; }
    // The same set with another alignment, in bytes; 0 removes Aligned.
    MemoryOperands withAlignment(uint32_t alignment) const;

 private:
    Operands build(uint32_t bytes, bool isLoad) const;

    uint32_t mask_ = 0;
    uint32_t alignment_ = 0;
    Id available_ = 0;  // scopes
    Id visible_ = 0;
    Operands further_;  // parameters of later bits, unchanged
};

// Larger than any access: MemoryOperands with it align each access to its size.
inline constexpr uint32_t kAnyAlignment = 1u << 16;

// The number of operands in the set that `operands` start with.
size_t memoryOperandCount(std::span<const Operand> operands);

// The operands of OpCooperativeMatrixLoadTensorNV or StoreTensorNV behind the Memory Operands:
// Tensor Addressing Operands, and what their mask announces. Empty if there are none.
std::span<const Operand> tensorAddressing(const Instruction& access);
// Whether they have functions that decode elements.
bool decodesElements(const Instruction& access);

// Whether the set that `operands` start with has Volatile.
bool isVolatile(std::span<const Operand> operands);

// Adds Aligned to the set at operand `first`, unless it has an alignment.
void alignOperands(Instruction& access, size_t first, uint32_t bytes);

// Memory Operands of OpCopyMemory: one set applies to target and source, two sets to one each.
struct CopyOperands {
    MemoryOperands target;
    MemoryOperands source;
};
CopyOperands copyOperands(const Instruction& copy);

}  // namespace coopvk::rewrite
