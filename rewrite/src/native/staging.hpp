// SPDX-License-Identifier: Apache-2.0
//
// Shared memory through which elements go from one native matrix to another, or to and from the
// lanes' arrays: the driver alone knows where a matrix has its elements.
#pragma once

#include "native/plan.hpp"

namespace coopvk::rewrite {

class Staging {
 public:
    Staging(LoweringContext& context, uint32_t subgroups)
        : context_(context), subgroups_(subgroups) {}

    // False where the device has not that much shared memory beside the module's own.
    bool fits() const;
    // Announces a use; all must be known before the first access.
    void reserve(Id component, uint32_t elements);

    // Pointer to this subgroup's element number `index` (u32) of the memory for `component`.
    Id at(Emitter& emit, Id component, Id index);
    // Between writes and reads of other lanes, and behind those.
    void barrier(Emitter& emit);
    // Memory Operands of every access.
    Operands access() const;

 private:
    struct Memory {
        uint32_t elements = 0;  // for each subgroup
        Id variable = 0;
    };
    Id variable(Id component, Memory& memory);

    LoweringContext& context_;
    uint32_t subgroups_;
    std::map<Id, Memory> memories_;
};

}  // namespace coopvk::rewrite
