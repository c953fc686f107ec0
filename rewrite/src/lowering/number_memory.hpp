// SPDX-License-Identifier: Apache-2.0
//
// Components on their way between memory, which is read and written as scalars of any type, and the
// scalars that hold them. Where a format says nothing else (NumberForm), the bits of both are the
// same.
#pragma once

#include "lowering/number.hpp"
#include "lowering/words.hpp"

namespace coopvk::rewrite {

struct NumberForm {
    // See the functions below of the same names.
    std::vector<Slot> (*unpack)(Emitter&, std::span<const Slot> memory, Id memoryScalar, Id held);
    std::vector<Slot> (*pack)(Emitter&, std::span<const Slot> components, Id held, Id memoryScalar);
    Slot (*pick)(Emitter&, Id scalar, Id index, Id held);
    Id (*bits)(Emitter&, const Slot& component, Id held);
    Id (*extended)(Emitter&, Id value, bool isSigned);
};

// 4-bit integers, which lie two to a byte, the first in the lower bits (SPV_INTEL_int4, "Memory
// Layout"), and are held in 8 bits.
extern const NumberForm kFourBits;

// The width and the type of the scalars that hold components of a type.
uint32_t heldBits(const TypeTable& types, Id component);
Id heldType(TypeTable& types, Id component);

// All components of whole memory scalars, and the inverse.
std::vector<Slot> unpackComponents(Emitter& emit, const Number& number,
                                   std::span<const Slot> memory, Id memoryScalar, Id held);
std::vector<Slot> packComponents(Emitter& emit, const Number& number,
                                 std::span<const Slot> components, Id held, Id memoryScalar);
// Component `index` (u32, different by lane) of a memory scalar.
Slot pickComponent(Emitter& emit, const Number& number, Id scalar, Id index, Id held);
// The bits of a component in memory, of at most 32, as a u32 with zeros above them.
Id componentBits(Emitter& emit, const Number& number, const Slot& component, Id held);
// A scalar or vector of held components as it reads with a signedness.
Id withSign(Emitter& emit, const Number& number, Id value, bool isSigned);

}  // namespace coopvk::rewrite
