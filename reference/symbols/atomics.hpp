// SPDX-License-Identifier: Apache-2.0
//
// Atomic operations on integers that give one result in any order: sums, minima, maxima, bits.
#pragma once

#include <array>

#include "symbols/shadow.hpp"

namespace coopvk::reference::symbols {

class Atomics {
 public:
    explicit Atomics(Computation& all) : all_(all) {}

    // What an instruction combines with memory, in the lane that executes it next.
    void setOperand(const Instruction* at, TermId operand) {
        operandOf_ = at;
        operand_ = operand;
    }
    // Sets the terms of memory, whose bytes have the new bits. Returns that of the result, which is
    // any number: no text says what comes before the operation.
    TermId apply(Subgroup& s, Deviation* memory, const std::byte* data, uint32_t size,
                 uint64_t before);

 private:
    Computation& all_;
    const Instruction* operandOf_ = nullptr;
    TermId operand_ = 0;
    // Bytes of memory: what happens to them in any order, and to which numbers.
    std::unordered_map<const Deviation*, std::array<uint32_t, 3>> operations_;
};

}  // namespace coopvk::reference::symbols
