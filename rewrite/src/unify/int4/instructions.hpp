// SPDX-License-Identifier: Apache-2.0
//
// The instructions on 4-bit integers.
#pragma once

#include "unify/int4/sixteen.hpp"
#include "unify/int4/values.hpp"

namespace coopvk::rewrite {

// A pointer to a component of a vector: the vector's, and which one.
struct ComponentPointer {
    Id vector = 0;
    Id index = 0;
    Id type = 0;  // the vector's type
};
using ComponentPointers = std::map<Id, ComponentPointer>;

// Each of these is false if the instruction is none that it lowers.

// Loads and stores through such pointers, copies of them, and the chains that make them.
bool lowerInt4Access(Int4Context& context, Emitter& emit, const MemoryTypes& memory,
                     ComponentPointers& pointers, const Instruction& instruction);

// Composite instructions on vectors.
bool lowerInt4Composite(Int4Context& context, Emitter& emit, const Instruction& instruction);

// Conversions and bitcasts. Defines instruction.result.
bool lowerInt4Conversion(Int4Context& context, Emitter& emit, const Instruction& instruction);

// Redefines a constant of 4-bit scalar or vector type in place; others stay as they are.
void lowerInt4Constant(Int4Context& context, Instruction& constant);

}  // namespace coopvk::rewrite
