// SPDX-License-Identifier: Apache-2.0
//
// Deviations of numbers in memory, of words that have parts of several numbers, and of conversions.
#pragma once

#include "memory/pointer.hpp"

namespace coopvk::reference::intervals {

// Of a word of `size` bytes.
ByteDeviations bytesOf(Intervals& all, Deviation deviation, uint32_t size);
Deviation joined(Intervals& all, std::span<const Deviation> bytes);

// In memory, where each byte has one.
Deviation readDeviation(Intervals& all, const Deviation* from, uint32_t size);
void writeDeviation(Intervals& all, Deviation* to, const std::byte* data, uint32_t size,
                    Deviation deviation);

// What an atomic operation adds to memory or stores there.
void noteOperand(const Subgroup& s, const Type& scalar, const Value& value, uint32_t lane,
                 AtomicAccess& access);
// Sets the deviation of memory, and returns that of the result.
Deviation afterAtomic(Intervals& all, Deviation* memory, const std::byte* data, uint32_t size,
                      const AtomicAccess& access, uint64_t before);

// Of the parts of a number, of these bits: rest and whole part, or significand and exponent.
std::array<Deviation, 2> split(const Element& from, numbers::Number number, bool hasExponent,
                               uint64_t first, uint64_t second);

// Of an element that becomes these bits in another format.
Deviation converted(const Element& from, numbers::Number number, numbers::Number to, uint64_t bits,
                    bool saturates = false);
Deviation converted(const Element& from, numbers::Number number,
                    const numbers::Conversion& conversion, uint64_t bits);
// Of an input of a product of a vector.
Deviation convertedInput(const Element& from, numbers::Number number,
                         numbers::Number interpretation, uint64_t bits);

}  // namespace coopvk::reference::intervals
