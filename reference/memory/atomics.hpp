// SPDX-License-Identifier: Apache-2.0
//
// Atomic reads and changes of memory.
#pragma once

#include <functional>

#include "memory/pointer.hpp"

namespace coopvk::reference {

// Replaces the `size` bytes (2, 4 or 8) at the pointer plus offset by change(their bits), as one
// operation. Returns the bits before; 0 if they are outside of the memory (reported).
uint64_t atomicMemory(Subgroup& subgroup, const Instruction& instruction, uint32_t lane,
                      const Pointer& pointer, uint64_t offset, uint32_t size,
                      const std::function<uint64_t(uint64_t)>& change);

}  // namespace coopvk::reference
