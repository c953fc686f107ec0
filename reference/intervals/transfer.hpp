// SPDX-License-Identifier: Apache-2.0
//
// Instructions on intervals: beside the handler of an instruction, which computes bits, a row of a
// table says what the result may be if operands may be other numbers.
#pragma once

#include "execution/opcode_table.hpp"

namespace coopvk::reference::intervals {

// Executes the instruction, then its row. Operands that can be only what they are give a result
// that can be only what it is, by whatever instruction, unless that adds in an order of its own.
Step execute(Subgroup& s);

// Computes the deviations of the result from those of the operands.
struct Transferred {
    Subgroup& s;
    const Instruction& at;
    LaneMask mask;

    const Value& result() const { return s.values[at.result]; }
    const Value& operand(uint32_t n) const { return s.values[at[n].slot]; }
};
using Transfer = void (*)(const Transferred&);

// A sum that may be in any order, whatever the operands.
bool addsInAnyOrder(const Subgroup& s, const Instruction& at);

// That nothing is known of the result, since the instruction has an operand that may be another.
Deviation unknownHere(const Transferred& t);

// Whether the instruction gives bits of NaN, which may be those of each NaN.
bool showsNan(const Subgroup& s, const Instruction& at, LaneMask mask);

// Null: there is none, and nothing is known of a result whose operands may be other numbers.
Transfer findTransfer(uint32_t opcode);
struct TransferRow {
    uint32_t opcode;
    Transfer transfer;
};
constexpr TransferRow row(Transfer transfer, auto opcode) { return {numberIn(opcode), transfer}; }
std::span<const TransferRow> elementwiseTransfers();  // of arithmetic and GLSL.std.450
std::span<const TransferRow> vectorTransfers();       // of whole vectors
std::span<const TransferRow> bitTransfers();          // of bits of floats, and bytes of words
std::span<const TransferRow> subgroupTransfers();     // reductions and scans
std::span<const TransferRow> otherTransfers();        // that move, convert, compare, add

}  // namespace coopvk::reference::intervals
