// SPDX-License-Identifier: Apache-2.0
//
// Matrices of 4-bit components (Int4CooperativeMatrixINTEL). A fragment holds each as an 8-bit
// component of the type's signedness, so that everything but memory, and what looks at the
// components with the other sign, treats them as 8-bit ones. In memory there are two to a byte, the
// first in the lower bits (SPV_INTEL_int4, "Memory Layout").
#pragma once

#include "lowering/slots.hpp"
#include "matrix/context.hpp"

namespace coopvk::rewrite {

// Memory scalars as u32: joined or split where they fill such, else zero extended one by one.
std::vector<Id> toWords(Emitter& emit, std::span<const Slot> memory, Id memoryScalar);
// All components of memory scalars of any width, as scalars `component` (8-bit).
std::vector<Slot> unpackNibbles(Emitter& emit, std::span<const Slot> memory, Id memoryScalar,
                                Id component);
// The inverse: whole memory scalars.
std::vector<Slot> packNibbles(Emitter& emit, std::span<const Slot> components, Id component,
                              Id memoryScalar);
// Component `index` (u32, different by lane) of a memory scalar.
Slot pickNibble(Emitter& emit, Id memoryScalar, Id index, Id component);
// A component as a u32 with zeros above its four bits.
Id nibbleBits(Emitter& emit, const Slot& slot, Id component);

// A scalar or vector of 8-bit components with their low four bits extended to eight.
Id extendNibbles(Emitter& emit, Id pack, bool isSigned);
// The matrix with its components extended so; the value itself where they are already, or in words.
Id nibblesAs(MatrixContext& context, Emitter& emit, const MatrixType& matrix, Id value,
             bool isSigned);

}  // namespace coopvk::rewrite
