// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "matrices/cooperation.hpp"

namespace coopvk::reference::matrices {

// Elements of 4 to 64 bits in memory, from a pointer on.
struct ElementMemory {
    const Instruction& instruction;
    Pointer pointer;
    Access access;
    uint32_t bits;  // of an element

    // `lane` of `holder` accesses the element. Elements of 4 bits share bytes: SPV_INTEL_int4, "the
    // first component in every pair is in bits 0-3 of the corresponding byte".
    Element read(Subgroup& holder, uint32_t lane, uint64_t bitOffset) const;
    void write(Subgroup& holder, uint32_t lane, uint64_t bitOffset, const Element& element) const;
};

}  // namespace coopvk::reference::matrices
