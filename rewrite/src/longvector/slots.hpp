// SPDX-License-Identifier: Apache-2.0
//
// Variables that hold long vectors, one value after the other:
//
//   %a = ...          slot = a            a and b are never needed at the same time
//   OpStore %p %a     p = slot
//   %b = ...          slot = b
#pragma once

#include "ir/users.hpp"
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

    // Nothing else gets the slot of a value that is pinned, even if nothing needs the value.
    void pin(Id value) { pinned_.insert(value); }
    bool isPinned(Id value) const { return pinned_.contains(value); }
    void unpinAll() { pinned_.clear(); }

 private:
    struct Slot {
        Id variable = 0, type = 0;
        // Values that have been in it. Some may be needed on other paths.
        std::vector<Id> values;
    };

    bool isFree(const Slot& slot) const;
    Slot& freeSlot(Id type);

    LongVectorContext& context_;
    FunctionWriter& writer_;
    const LongVectorLiveness& liveness_;
    std::vector<Slot> slots_;
    std::unordered_set<Id> pinned_;
};

// Variables of a function that hold a long vector in one block only, from a store of the whole
// vector on. Such variables share slots, as values do:
//
//   OpStore %argument %a            slot = a
//   OpFunctionCall %f %argument     f(slot)

class LongVectorLocals {
 public:
    // Of the variables whose type is one for which isInSlots(type) is true.
    LongVectorLocals(const Module& module, const Function& function,
                     const std::function<bool(Id type)>& isInSlots, LongVectorSlots& slots,
                     LongVectorLiveness& liveness);

    bool isLocal(Id variable) const { return types_.contains(variable); }
    Id slotOf(Id variable);
    void beginBlock(const Block& block);
    // Before an instruction is lowered: it uses slots in place of variables.
    void replaceIn(Instruction& i);
    // Behind it.
    void endInstruction();

 private:
    struct Uses;

    bool collect(Id pointer, Uses& uses) const;

    const Module& module_;
    LongVectorSlots& slots_;
    LongVectorLiveness& liveness_;
    std::unordered_map<Id, Id> types_;   // by variable
    std::unordered_map<Id, Id> chains_;  // access chain -> variable
    std::unordered_map<Id, Id> slot_;    // by variable, once it has one
    std::vector<Id> used_;               // by the current instruction
};

}  // namespace coopvk::rewrite
