// SPDX-License-Identifier: Apache-2.0
//
// Buffers seen as arrays of 32-bit words: a variable of its own that aliases the module's.
#pragma once

#include <map>

#include "ir/emitter.hpp"

namespace coopvk::rewrite {

// Where in a buffer a pointer points.
struct WordPlace {
    Id variable = 0;    // of the words
    Id descriptor = 0;  // index into the variable where that is an array; else 0
    Id word = 0;        // u32
    bool nonUniform = false;
};

class WordViews {
 public:
    explicit WordViews(TypeTable& types) : types_(types), module_(types.module()) {}

    // Follows a pointer to something of 32 bits back to its buffer; emits the arithmetic. nullopt
    // if it does not start at a buffer variable, or the layout of what it leads through is not
    // known.
    std::optional<WordPlace> find(Emitter& emit, Id pointer);

    // A pointer to the word.
    Id pointer(Emitter& emit, const WordPlace& place);

 private:
    Id view(Id variable);
    Id wordArray(Id variable);

    TypeTable& types_;
    Module& module_;
    std::map<Id, Id> views_;   // by the module's variable
    std::map<Id, Id> blocks_;  // by the decoration of the module's block
};

}  // namespace coopvk::rewrite
