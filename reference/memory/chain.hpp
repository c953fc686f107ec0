// SPDX-License-Identifier: Apache-2.0
//
// Access chains: what a pointer and indices lead to.
#pragma once

#include <bit>

#include "execution/opcode_table.hpp"

namespace coopvk::reference {

struct ChainIndex {
    uint32_t operand = 0;
    uint64_t stride = 0;  // bytes; Function, Private, Input: components
    uint64_t limit = 0;   // elements; 0: not known
    bool halves = false;  // of bytes: the integers of 4 bits in a vector, see Pointer

    uint64_t offset(uint64_t index) const { return halves ? std::rotr(index, 1) : index * stride; }
};

struct ChainPlan final : Prepared {
    uint32_t base = 0;                      // the operand with the pointer
    uint64_t offset = 0;                    // of all constant indices
    bool outside = false;                   // a constant index is outside of its array
    std::vector<ChainIndex> indices;        // of those that are no constants
    Pointee pointee;                        // of the result
    const Variable* descriptors = nullptr;  // an array of descriptors: the first index selects one
    uint32_t descriptorOperand = kNone;
};

bool isChain(spv::Op opcode);
Result<ChainPlan> planChain(const Program& program, const Instruction& chain);

}  // namespace coopvk::reference
