// SPDX-License-Identifier: Apache-2.0
//
// The offset in bytes at which a pointer points into a buffer.
#pragma once

#include "ir/emitter.hpp"

namespace coopvk::rewrite {

// A place in a buffer. The buffer is that of a variable, or one in the resource heap
// (SPV_EXT_descriptor_heap).
struct BufferPlace {
    enum class Problem { kNone, kNoVariable, kManyDescriptors, kNoLayout };
    Problem problem = Problem::kNone;
    Id root = 0;        // the variable, typed or untyped, or the OpBufferPointerEXT
    Id inHeap = 0;      // the operand Buffer of OpBufferPointerEXT; 0: the root is a variable
    Id descriptor = 0;  // index into an array of descriptors; 0 if the variable is not one
    Id bytes = 0;       // from the start of the buffer, of bufferIndexType()
    bool nonUniform = false;

    static BufferPlace unknown() { return {.problem = Problem::kNoVariable}; }
    bool valid() const { return problem == Problem::kNone; }

    // For a function that accesses the same buffer: arguments that tell at run time which it is,
    // and the place in the function's code, without `bytes`. Only there may that code use it.
    std::vector<Id> arguments(const Module& module) const;
    BufferPlace inFunction(Emitter& emit, std::span<const Id> parameters) const;
    // What differs between places for which the functions are not the same.
    void appendKey(const Module& module, std::vector<uint32_t>& key) const;
};

// Follows a pointer back to its buffer and emits the arithmetic for the offset.
BufferPlace placeOf(Emitter& emit, Id pointer);

// The offset in bytes (bufferIndexType()) of the member that indices select in a type with explicit
// layout; nullopt if the layout does not tell.
std::optional<Id> bytesTo(Emitter& emit, Id type, std::span<const Id> indices);

// The type that the root of a place points to: the data type of an untyped variable; 0 if the
// pointer alone does not tell.
Id contentsOf(const Module& module, Id root);

}  // namespace coopvk::rewrite
