// SPDX-License-Identifier: Apache-2.0
//
// Atomic operations on integers that give one result in any order: sums, minima, maxima, bits; and
// stores to what no other invocation accesses atomically.
#pragma once

#include <array>

#include "symbols/shadow.hpp"

namespace coopvk::reference::symbols {

class Atomics {
 public:
    explicit Atomics(Computation& all) : all_(all) {}

    // What an instruction combines with memory, in the lane that executes it next.
    void setOperand(const Instruction* at, TermId operand, uint32_t lane) {
        operandOf_ = at;
        operand_ = operand;
        lane_ = lane;
    }
    // Sets the terms of memory, whose bytes have the new bits. Returns that of the result, which is
    // any number: no text says what comes before the operation.
    TermId apply(Subgroup& s, Deviation* memory, const std::byte* data, uint32_t size,
                 uint64_t before);

 private:
    // What happens to a byte in any order, and in which numbers.
    struct Kind {
        uint32_t group = 0, size = 0, place = 0;
        std::array<uint32_t, 5> invocation = {};  // of stores: all are of this one
        bool operator==(const Kind&) const = default;
    };

    void setBytes(Deviation* memory, uint32_t size, TermId whole);

    Computation& all_;
    const Instruction* operandOf_ = nullptr;
    TermId operand_ = 0;
    uint32_t lane_ = 0;
    std::unordered_map<const Deviation*, Kind> operations_;
};

}  // namespace coopvk::reference::symbols
