// SPDX-License-Identifier: Apache-2.0
//
// Pointers to single components of vectors of 4-bit integers.
#pragma once

#include "int4/int4_values.hpp"

namespace coopvk::rewrite {

// A pointer to a component of a vector: the vector's, and which one.
struct ComponentPointer {
    Id vector = 0;
    Id index = 0;
    Id type = 0;  // the vector's type
};
using ComponentPointers = std::map<Id, ComponentPointer>;

// Loads, stores and copies through such pointers, copies of them, and the chains that make them.
// False if the instruction is none of these.
bool lowerInt4Access(Int4Context& context, Emitter& emit, ComponentPointers& pointers,
                     const Instruction& instruction);

}  // namespace coopvk::rewrite
