// SPDX-License-Identifier: Apache-2.0
//
// The offset in bytes at which a pointer points into a buffer.
#pragma once

#include "ir/emitter.hpp"

namespace coopvk::rewrite {

struct BufferPlace {
    enum class Problem { kNone, kNoVariable, kManyDescriptors, kNoLayout };
    Problem problem = Problem::kNone;
    Id variable = 0;    // the buffer variable, typed or untyped
    Id descriptor = 0;  // index into an array of descriptors; 0 if the variable is not one
    Id bytes = 0;       // u32, from the start of the buffer
    bool nonUniform = false;

    bool valid() const { return problem == Problem::kNone; }
};

// Follows a pointer back to its variable and emits the arithmetic for the offset.
BufferPlace placeOf(Emitter& emit, Id pointer);

// The offset in bytes (u32) of the member that indices select in a type with explicit layout;
// nullopt if the layout does not tell.
std::optional<Id> bytesTo(Emitter& emit, Id type, std::span<const Id> indices);

// The type that a variable points to; the data type of an untyped variable.
Id contentsOf(const Module& module, Id variable);

}  // namespace coopvk::rewrite
