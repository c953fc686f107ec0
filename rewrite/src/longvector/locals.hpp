// SPDX-License-Identifier: Apache-2.0
//
// Variables of a function that hold a long vector in one block only, from a store of the whole
// vector on. Such variables share slots, as values do:
//
//   OpStore %argument %a            slot = a
//   OpFunctionCall %f %argument     f(slot)
#pragma once

#include "ir/users.hpp"
#include "longvector/slots.hpp"

namespace coopvk::rewrite {

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
