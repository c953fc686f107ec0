// SPDX-License-Identifier: Apache-2.0
//
// Buffers seen as arrays of another type: logical addressing has no pointer casts, but a module may
// declare another variable for the same binding. Such a variable is Aliased, and so is the module's
// own from then on. It keeps what the module says of all accesses to the buffer: it is Coherent or
// Volatile where the variable or any member of its structure is, and NonWritable where the variable
// or every member is.
#pragma once

#include "ir/emitter.hpp"
#include "lowering/place.hpp"

namespace coopvk::rewrite {

class BufferViews {
 public:
    explicit BufferViews(TypeTable& types) : types_(types), module_(types.module()) {}

    // The variable for the binding of `variable` whose structure is one runtime array of `element`,
    // a scalar or a vector.
    Id view(Id variable, Id element);
    // A pointer to element number `index` (u32) of the view of the place's variable.
    Id pointer(Emitter& emit, const BufferPlace& place, Id element, Id index);
    // struct { element data[]; } without gaps, for physical pointers.
    Id block(Id element) { return block(element, {}); }

 private:
    struct Qualifiers {
        bool bufferBlock = false;  // in place of Block
        bool nonWritable = false, coherent = false, isVolatile = false;
        auto operator<=>(const Qualifiers&) const = default;
    };
    Qualifiers qualifiersOf(Id variable) const;
    Id block(Id element, const Qualifiers& qualifiers);
    Id likeDescriptors(Id original, Id block);
    void declareAliased(Id variable);

    TypeTable& types_;
    Module& module_;
    std::map<std::pair<Id, Id>, Id> views_;           // by variable and element
    std::map<std::pair<Id, Qualifiers>, Id> blocks_;  // by element
};

}  // namespace coopvk::rewrite
