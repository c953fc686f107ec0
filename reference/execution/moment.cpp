// SPDX-License-Identifier: Apache-2.0
//
// What observers see of a subgroup.
#include "execution/opcode_table.hpp"
#include "memory/pointer.hpp"

namespace coopvk::reference {
namespace {

ValueView viewOfValue(const Value& value) {
    return {value.data, value.defined, value.components(), value.lanes};
}

}  // namespace

const char* nameOf(MemoryKind kind) {
    constexpr const char* kNames[] = {"the workgroup's memory", "a buffer", "the push constants",
                                      "a variable"};
    return kNames[kind];
}

Subgroup& subgroupAt(const Moment& at) { return at.s_; }

uint32_t Moment::opcode() const { return s_.at->row->opcode; }
uint32_t Moment::resultId() const { return s_.at->resultId; }
uint32_t Moment::word() const { return s_.at->word; }
uint32_t Moment::subgroup() const { return s_.index; }
LaneMask Moment::active() const { return s_.mask; }
LaneMask Moment::all() const { return s_.all; }
uint32_t Moment::operands() const { return s_.operands(); }
uint32_t Moment::literal(uint32_t n) const { return s_.word(n); }

std::optional<ValueView> Moment::operand(uint32_t n) const {
    if (s_.slot(n) == kNone) return std::nullopt;
    return viewOfValue(s_.operand(n));
}

std::optional<ValueView> Moment::result() const {
    if (s_.at->result == kNone) return std::nullopt;
    return viewOfValue(s_.result());
}

PointerView Moment::pointer(uint32_t operand, uint32_t lane) const {
    const Pointer at = pointerAt(s_, s_.operand(operand), lane);
    const bool hasAddress = isPhysical(at.storage);
    const bool hasRange = !hasAddress && !holdsComponents(at.storage);
    return {kindOf(at.storage), hasRange ? rangeAt(at.base) : nullptr, at.offset & ~kUpperHalf,
            hasAddress};
}

LaneMask Moment::undefined(uint32_t operand) const {
    const uint32_t slot = s_.slot(operand);
    return slot != kNone ? s_.mask & ~definedInAll(s_.values[slot]) : LaneMask{};
}

void Moment::report(Check check, uint32_t lane, std::string message, uint32_t otherWord) const {
    s_.report(check, lane, std::move(message), otherWord);
}

Report Moment::place(uint32_t lane) const { return s_.placeOf(lane); }

}  // namespace coopvk::reference
