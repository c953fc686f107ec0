// SPDX-License-Identifier: Apache-2.0
//
// Views of buffers as arrays of another type. Logical addressing has no pointer casts, but a module
// may declare several variables for one binding. Both the view and the original variable become
// Aliased. The view is Coherent or Volatile if the variable or any member of its structure is, and
// NonWritable if the variable or every member is.
#pragma once

#include "ir/emitter.hpp"
#include "lowering/place.hpp"

namespace coopvk::rewrite {

class BufferViews {
 public:
    explicit BufferViews(TypeTable& types) : types_(types), module_(types.module()) {}

    // A variable for the binding of `variable`: a runtime array of `element`, a scalar or vector.
    Id view(Id variable, Id element);
    // A pointer to element number `index` (u32) of the view of place.variable.
    Id pointer(Emitter& emit, const BufferPlace& place, Id element, Id index);
    // The type struct { element data[]; } without gaps, for physical pointers.
    Id block(Id element) { return block(element, {}); }

 private:
    struct Qualifiers {
        bool bufferBlock = false;  // BufferBlock in place of Block
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
