// SPDX-License-Identifier: Apache-2.0
//
// Shared memory of each subgroup, through which elements of the driver's matrices go: only the
// driver knows which invocation has which element.
#pragma once

#include "lowering/context.hpp"

namespace coopvk::rewrite {

class Staging {
 public:
    Staging(LoweringContext& context, uint32_t subgroups)
        : context_(context), subgroups_(subgroups) {}

    // Whether the device has enough shared memory beside the module's, and `more` bytes.
    bool fits(uint64_t more = 0) const;
    // Forgets all reservations.
    void clear() { memories_.clear(); }
    // Reserves elements for each subgroup. All reservations precede the first access.
    void reserve(Id element, uint32_t elements);
    // Declares the variables, so that nothing else takes what is reserved.
    void declare();

    // Pointer to element `index` (u32) of this subgroup's memory for a scalar or vector type.
    Id at(FunctionWriter& writer, Id element, Id index);
    // The same for an index into the memory of all subgroups, one behind the other.
    Id at(Emitter& emit, Id element, Id index);

 private:
    struct Memory {
        uint32_t elements = 0;  // for each subgroup
        Id variable = 0;
    };
    Id variable(Id element, Memory& memory);

    LoweringContext& context_;
    uint32_t subgroups_;
    std::map<Id, Memory> memories_;
};

}  // namespace coopvk::rewrite
