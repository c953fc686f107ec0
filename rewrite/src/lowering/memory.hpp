// SPDX-License-Identifier: Apache-2.0
//
// Accesses to the application's memory, for all kinds of lowering.
#pragma once

#include "ir/control_flow.hpp"

namespace coopvk::rewrite {

// Parts of words that other invocations change at the same time.

// The scope of atomics that all invocations see that may access the memory.
Id atomicScope(Emitter& emit, Id pointer);

// Replaces the `count` bits from bit `first` (u32) on of a 32-bit integer by the low bits of a u32.
void storeBits(Emitter& emit, Id pointer, Id bits, Id first, uint32_t count);

// A u32 in memory, and the operands of atomics that change it.
struct AtomicWord {
    Id pointer = 0;
    Id scope = 0;
    Id semantics = 0;  // where it is changed
    Id relaxed = 0;    // where it is only read
};
// Changes a word to change(word), which no other invocation changes in between. Returns a variable
// that has the word before. Where mayBeHelper, invocations that are helpers change nothing: what
// their atomics return is undefined, and may never be equal.
Id changeWord(ControlFlow& flow, const AtomicWord& word, const std::function<Id(Id)>& change,
              bool mayBeHelper = false);

}  // namespace coopvk::rewrite
