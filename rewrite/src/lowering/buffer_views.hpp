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

    // The view of the buffer at a place: a runtime array of `element`, a scalar or vector. A
    // variable for the same binding as place.root, or an OpBufferPointerEXT.
    Id view(Emitter& emit, const BufferPlace& place, Id element);
    // A pointer to element number `index` (u32 or u64) of the view. `view`: to use one that exists.
    Id pointer(Emitter& emit, const BufferPlace& place, Id element, Id index, Id view = 0);
    // The operands of an access chain to an element of a view, without the last index.
    std::vector<Id> chainInto(const BufferPlace& place, Id view);
    // The type element[] without gaps.
    Id array(Id element);
    // The type struct { element data[]; } without gaps, for physical pointers.
    Id block(Id element) { return block(element, {}); }

 private:
    struct Qualifiers {
        bool bufferBlock = false;  // BufferBlock in place of Block
        bool nonWritable = false, coherent = false, isVolatile = false;
        auto operator<=>(const Qualifiers&) const = default;
    };
    Qualifiers qualifiersOf(Id root) const;
    Id variableLike(Id variable, Id element);
    Id pointerIntoHeap(Emitter& emit, const BufferPlace& place, Id element);
    Id block(Id element, const Qualifiers& qualifiers);
    Id likeDescriptors(Id original, Id block);
    void declareAliased(Id root);

    TypeTable& types_;
    Module& module_;
    std::map<std::pair<Id, Id>, Id> variables_;       // by variable and element
    std::map<std::pair<Id, Qualifiers>, Id> blocks_;  // by element
    std::map<Id, Id> arrays_;                         // by element
};

}  // namespace coopvk::rewrite
