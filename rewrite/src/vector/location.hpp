// SPDX-License-Identifier: Apache-2.0
//
// Where a cooperative-vector instruction reads or writes memory: a pointer to an array plus an
// offset in bytes, split into what a helper function is made for and what a call passes to it.
//
// Buffers are accessed through variables of coopvk's own that alias the application's (same
// descriptor), so that the width of an access depends on the alignment that the extension
// guarantees, and not on the type which the application gave its array.
#pragma once

#include "lowering/place.hpp"
#include "vector/vector_function.hpp"

namespace coopvk::rewrite {

struct Location {
    enum class Kind : uint32_t {
        kBuffer,    // a StorageBuffer variable that an alias can stand for
        kPhysical,  // a 64-bit address
        kElements,  // anything else: through the array's own elements
    };
    Kind kind = Kind::kElements;
    spv::StorageClass storage = spv::StorageClass::StorageBuffer;
    // kBuffer, kElements: the module-scope variable that the pointer starts at (0: none); kBuffer:
    // where in it the pointer points, without the byte offset.
    BufferPlace place;
    Id element = 0;  // kElements: element type of the array
    // Passed to the helper function: address or descriptor index; or pointer, if it starts at no
    // variable, and indices; then the byte offset, a u32.
    std::vector<Id> arguments;
    std::vector<Id> argumentTypes;

    bool valid() const { return !arguments.empty(); }
    void appendKey(std::vector<uint32_t>& key) const;
    // kElements: position in arguments of the first index of the chain from the variable or
    // pointer.
    size_t firstIndex() const { return place.variable == 0 ? 1 : 0; }
};

// Follows `pointer` back to where it starts; emits the offset into the caller. `at` is named in
// errors; an invalid location is returned after one.
Location locate(VectorContext& context, Emitter& emit, Id pointer, Id byteOffset,
                const Instruction& at);

}  // namespace coopvk::rewrite
