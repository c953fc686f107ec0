// SPDX-License-Identifier: Apache-2.0
//
// Where in a buffer a pointer points: the way of its access chains in bytes.
#pragma once

#include "ir/emitter.hpp"

namespace coopvk::rewrite {

struct BufferPlace {
    enum class Problem { kNone, kNoVariable, kManyDescriptors, kNoLayout };
    Problem problem = Problem::kNone;
    Id variable = 0;    // that the pointer starts at; typed or untyped
    Id descriptor = 0;  // index into the variable where that is an array of descriptors; else 0
    Id bytes = 0;       // u32, from the start of the buffer
    bool nonUniform = false;

    bool valid() const { return problem == Problem::kNone; }
};

// Follows a pointer back to the buffer variable that it starts at; emits the arithmetic.
BufferPlace placeOf(Emitter& emit, Id pointer);

// Bytes (u32) from a value of an explicitly laid out type to what the indices lead to in it;
// nullopt where the layout does not say.
std::optional<Id> bytesTo(Emitter& emit, Id type, std::span<const Id> indices);

// What a variable points to; of an untyped one, its data type.
Id contentsOf(const Module& module, Id variable);

}  // namespace coopvk::rewrite
