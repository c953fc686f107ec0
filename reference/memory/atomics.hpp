// SPDX-License-Identifier: Apache-2.0
//
// Atomic reads and changes of memory.
#pragma once

#include <functional>

#include "memory/pointer.hpp"

namespace coopvk::reference {

// An atomic operation of a scope on the `size` bytes (2, 4 or 8) at the pointer plus offset. It
// replaces them by change(their bits), or only reads them if that is empty. Returns the bits
// before; 0 if they are outside of the memory (reported).
uint64_t atomicMemory(Subgroup& subgroup, const Instruction& instruction, uint32_t lane,
                      const Pointer& pointer, uint64_t offset, uint32_t size, spv::Scope scope,
                      const std::function<uint64_t(uint64_t)>& change);

}  // namespace coopvk::reference
