// SPDX-License-Identifier: Apache-2.0
//
// Atomic operations on integers that give one result in any order: sums, minima, maxima, bits; and
// what one invocation does to bits that no other one changes atomically.
#pragma once

#include <array>
#include <optional>
#include <unordered_map>

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
    // What happens to a bit, and in which numbers: operations of one group in any order, or those
    // of one invocation in its order.
    struct Kind {
        uint32_t group = 0, size = 0, place = 0;                 // of none, or of several: 0
        std::optional<std::array<uint32_t, 5>> invocation = {};  // nothing: several
    };

    static bool join(std::optional<Kind>& all, const Kind& one);
    // Whether all operations on these bits so far, and this one, give one result.
    bool note(const Subgroup& s, Deviation* memory, uint32_t size, uint32_t group, TermId operand);
    void setBytes(Deviation* memory, uint32_t size, TermId whole);

    Computation& all_;
    const Instruction* operandOf_ = nullptr;
    TermId operand_ = 0;
    uint32_t lane_ = 0;
    std::unordered_map<const Deviation*, std::array<std::optional<Kind>, 8>> operations_;
};

}  // namespace coopvk::reference::symbols
