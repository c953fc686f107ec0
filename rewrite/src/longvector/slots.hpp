// SPDX-License-Identifier: Apache-2.0
//
// Variables that hold long vectors, one value after the other:
//
//   %a = ...          slot = a            a and b are never needed at the same time
//   OpStore %p %a     p = slot
//   %b = ...          slot = b
#pragma once

#include "longvector/liveness.hpp"
#include "lowering/context.hpp"

namespace coopvk::rewrite {

class LongVectorSlots {
 public:
    LongVectorSlots(LongVectorContext& context, FunctionWriter& writer,
                    const LongVectorLiveness& liveness)
        : context_(context), writer_(writer), liveness_(liveness) {}

    // A variable that is not shared.
    Id declare(Id type);

    // A variable for a value that is being defined.
    Id take(Id value, Id type);
    // Another value is in the variable from now on, if it is a slot. False: it is none.
    bool pass(Id variable, Id value);
    // Whether a slot may still be needed for another value than this one.
    bool isShared(Id variable, Id value) const;
    // A variable for use in the lowering of one instruction.
    Id temporary(Id type);

    // What is read or written until release(), even if nothing later needs it.
    void hold(Id value) { held_.insert(value); }
    bool holds(Id value) const { return held_.contains(value); }
    void release() { held_.clear(); }

 private:
    struct Slot {
        Id variable = 0, type = 0;
        // Values that have been in it. Some may be needed on other paths.
        std::vector<Id> values;
    };

    bool isFree(const Slot& slot) const;

    LongVectorContext& context_;
    FunctionWriter& writer_;
    const LongVectorLiveness& liveness_;
    std::vector<Slot> slots_;
    std::unordered_set<Id> held_;
};

}  // namespace coopvk::rewrite
