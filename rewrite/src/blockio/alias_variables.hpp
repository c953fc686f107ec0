// SPDX-License-Identifier: Apache-2.0
//
// Storage buffers seen as arrays of another type: logical addressing has no pointer casts, but two
// variables may share a binding.
#pragma once

#include "lowering/context.hpp"

namespace coopvk::rewrite {

class AliasVariables {
 public:
    explicit AliasVariables(LoweringContext& context) : context_(context) {}

    // A variable of the same storage class, set and binding as `variable`, whose block is one
    // runtime array of `element` (a scalar or vector of `bytes` bytes).
    Id get(Id variable, Id element, uint32_t bytes);

 private:
    Id blockType(Id variable, Id element);
    void shareBinding(Id variable, Id alias);

    LoweringContext& context_;
    std::map<std::pair<Id, Id>, Id> variables_;
    std::map<std::pair<Id, uint32_t>, Id> blocks_;  // by element and access qualifiers
};

}  // namespace coopvk::rewrite
