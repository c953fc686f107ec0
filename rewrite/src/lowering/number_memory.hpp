// SPDX-License-Identifier: Apache-2.0
//
// Converts components between memory, which is read and written as scalars of any type, and the
// scalars that hold them in matrices. Both have the same bits unless the format has a NumberForm.
#pragma once

#include "lowering/number.hpp"
#include "lowering/words.hpp"

namespace coopvk::rewrite {

struct NumberForm {
    // They implement the functions below.
    std::vector<Slot> (*unpack)(Emitter&, const Number&, std::span<const Slot> memory,
                                Id memoryScalar, Id held);
    std::vector<Slot> (*pack)(Emitter&, const Number&, std::span<const Slot> components, Id held,
                              Id memoryScalar);
    Slot (*pick)(Emitter&, const Number&, Id scalar, Id index, Id held);
    Id (*bits)(Emitter&, const Number&, const Slot& component, Id held);
    // Null: components have no sign to extend.
    Id (*extended)(Emitter&, Id value, bool isSigned) = nullptr;
};

// 4-bit integers: two in a byte of memory, the first in the lower bits (SPV_INTEL_int4, "Memory
// Layout"); held as 8-bit integers.
extern const NumberForm kFourBits;
// 8-bit floats: one in a byte of memory; held as f16, which has all their values.
extern const NumberForm kSmallFloats;

// The width and the type of the scalars that hold components of a type in matrices.
uint32_t heldBits(const TypeTable& types, Id component);
Id heldType(TypeTable& types, Id component);

// The components in memory scalars, and the memory scalars of components.
std::vector<Slot> unpackComponents(Emitter& emit, const Number& number,
                                   std::span<const Slot> memory, Id memoryScalar, Id held);
std::vector<Slot> packComponents(Emitter& emit, const Number& number,
                                 std::span<const Slot> components, Id held, Id memoryScalar);
// The component with a dynamic index (u32) in a memory scalar.
Slot pickComponent(Emitter& emit, const Number& number, Id scalar, Id index, Id held);
// The bits of a component in memory, zero extended to a u32. It has 32 bits at most.
Id componentBits(Emitter& emit, const Number& number, const Slot& component, Id held);
// A scalar or vector of held components, read as signed or unsigned integers.
Id withSign(Emitter& emit, const Number& number, Id value, bool isSigned);

}  // namespace coopvk::rewrite
