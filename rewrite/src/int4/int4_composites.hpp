// SPDX-License-Identifier: Apache-2.0
//
// Composite instructions on vectors of 4-bit integers, and pointers to single components of them.
#pragma once

#include "int4/int4_values.hpp"

namespace coopvk::rewrite {

// False if the instruction is none of these or needs no change.
bool lowerInt4Composite(Int4Context& context, Emitter& emit, const Instruction& instruction);

// A pointer to a component of a vector: the vector's, and which one.
struct ComponentPointer {
    Id vector = 0;
    Id index = 0;
    Id type = 0;  // the vector's type
};
using ComponentPointers = std::map<Id, ComponentPointer>;

// Loads, stores and copies through such pointers, copies of them, and the chains that make them.
// False as above.
bool lowerInt4Access(Int4Context& context, Emitter& emit, ComponentPointers& pointers,
                     const Instruction& instruction);

}  // namespace coopvk::rewrite
