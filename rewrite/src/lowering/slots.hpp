// SPDX-License-Identifier: Apache-2.0
//
// Matrix components on their way between vectors of different widths: a slot names one component
// of a vector without extracting it, so that whole vectors can pass through as they are.
#pragma once

#include "ir/emitter.hpp"

namespace coopvk::rewrite {

struct Slot {
    Id value = 0;        // scalar or vector
    uint32_t index = 0;  // component; 0 for scalars
};

// A scalar (one slot) or vector (2 to 4 slots) with the components in order. `component` is their
// scalar type.
Id gather(Emitter& emit, Id component, std::span<const Slot> slots);

// The slots of a scalar or vector value.
void appendSlots(Emitter& emit, Id value, std::vector<Slot>& slots);

// The same bytes, lowest first, as components of another width. `from` holds whole components of
// `to`; both are scalar types.
std::vector<Slot> regroup(Emitter& emit, std::span<const Slot> slots, Id from, Id to);

// Memory scalars as u32: joined or split where they fill such, else zero extended one by one.
std::vector<Id> toWords(Emitter& emit, std::span<const Slot> memory, Id memoryScalar);

// A u32 with a part (u32, with zeros above its bits) `shift` bits up, where it has zeros. The word
// 0: there is nothing else in it yet, and the shift is 0.
Id withPart(Emitter& emit, Id word, Id part, uint32_t shift);

}  // namespace coopvk::rewrite
