// SPDX-License-Identifier: Apache-2.0
//
// Pointers, and the one place through which all accesses to memory go.
#pragma once

#include <cstdint>
#include <span>

#include "execution/frame.hpp"

namespace coopvk::reference {

// A pointer of one lane. As a value a physical pointer has one component, the address; all others
// have two, base and offset.
// base: Workgroup, PushConstant, Uniform, StorageBuffer: the address of a Range on the host, or 0
// for none; Function, Private, Input: unused. offset: bytes; Function, Private, Input: components.
// Bit 63 of the base says that an index on the way was outside of its array.
struct Pointer {
    spv::StorageClass storage = spv::StorageClass::Function;
    uint64_t base = 0;
    uint64_t offset = 0;
};
inline constexpr uint64_t kOutside = uint64_t{1} << 63;

Pointer pointerAt(const Value& pointer, uint32_t lane);

// Function, Private, Input, Output: memory of components.
constexpr bool holdsComponents(spv::StorageClass storage) {
    return storage == spv::StorageClass::Function || storage == spv::StorageClass::Private ||
           storage == spv::StorageClass::Input || storage == spv::StorageClass::Output;
}

// Memory operands of an instruction, or the scope of an atomic one. Invocation stands for none.
struct Access {
    uint32_t operands = 0;  // spv::MemoryAccessMask
    spv::Scope availableScope = spv::Scope::Invocation;
    spv::Scope visibleScope = spv::Scope::Invocation;
    spv::Scope atomic = spv::Scope::Invocation;
};
// From the operand `first` on, if there is one: mask, then its operands. Scopes are constants.
Access accessOf(const Program& program, const Instruction& instruction, uint32_t first);

// The bytes [offset, offset + size) from the pointer on; null data if they are outside of the
// memory (reported). All storage classes but Function, Private, Input.
struct Span {
    std::byte* data = nullptr;
    uint8_t* written = nullptr;  // null: not tracked
};
Span locate(Subgroup& subgroup, const Instruction& instruction, uint32_t lane,
            const Pointer& pointer, uint64_t offset, uint64_t size);
// Notes an access for the check of races, before a write and after a read. `seen`: the bytes that
// a read got, which may become older ones; null for a write.
void noteAccess(Subgroup& subgroup, const Instruction& instruction, uint32_t lane,
                const Pointer& pointer, const std::byte* data, uint64_t size, std::byte* seen,
                const Access& access);

// Reads bytes; zeros if they are outside of the memory. `written` becomes false if one of them was
// never written (reported). For cooperative matrices, pass the lane that holds the element.
void readMemory(Subgroup& subgroup, const Instruction& instruction, uint32_t lane,
                const Pointer& pointer, uint64_t offset, std::span<std::byte> to,
                const Access& access, bool& written);
void writeMemory(Subgroup& subgroup, const Instruction& instruction, uint32_t lane,
                 const Pointer& pointer, uint64_t offset, std::span<const std::byte> from,
                 const Access& access);

// Stores a value through operand `pointer` of an instruction that does more than that.
void storeThrough(Subgroup& subgroup, const Instruction& instruction, uint32_t pointer,
                  const Value& value);

}  // namespace coopvk::reference
