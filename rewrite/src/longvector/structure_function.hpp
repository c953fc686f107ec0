// SPDX-License-Identifier: Apache-2.0
//
// Holds the structures of one function in variables (structures.hpp).
#pragma once

#include "ir/users.hpp"
#include "longvector/locals.hpp"
#include "longvector/phi_plan.hpp"
#include "longvector/slots.hpp"
#include "longvector/structure_places.hpp"

namespace coopvk::rewrite {

class StructureFunction {
 public:
    StructureFunction(LongVectorContext& context, HeldTypes& types, Function& function);

    // Whether an instruction on values of such types is one that lower() knows.
    static bool lowers(const Module& module, const Instruction& i);
    void lower();

 private:
    // What was loaded is read in its place until an instruction may change that.
    struct Load {
        Id value = 0, root = 0;
        bool isOfInvocation = false;  // the root is a variable of the invocation
    };
    using Lower = void (StructureFunction::*)(const Instruction&);

    static Lower rowOf(const Module& module, const Instruction& i);
    void lowerParameters();
    void findPairs();
    // Values of which the block only makes the contents of a variable are made in that.
    void findTargets();
    Id targetOf(const Block& block, size_t at, const Users& users) const;
    void visit(InstructionPtr instruction);
    void lowerOrKeep(InstructionPtr instruction);
    void beginBlock(Block& block);
    void endBlock();
    bool touches(const Instruction& i) const;

    void copyChanged(const Instruction& i);
    bool isChangedBy(const Load& load, const Instruction& i) const;
    bool isOfInvocation(Id root) const;

    StructurePlace placeOf(Id value);
    StructurePlace slotFor(Id value);
    // A variable for a value that an instruction makes without reading a former one.
    StructurePlace newPlaceFor(Id value);
    void put(const StructurePlace& to, Id value);
    void setAlias(Id value, const StructurePlace& place, Id of);
    void own(Id value);
    Id variableWith(Id value);
    Emitter& emit() { return writer_.emit(); }

    void lowerLoad(const Instruction& i);
    void lowerStore(const Instruction& i);
    void lowerExtract(const Instruction& i);
    void lowerInsert(const Instruction& i);
    void lowerConstruct(const Instruction& i);
    void lowerCopy(const Instruction& i);
    void lowerSelect(const Instruction& i);
    void lowerPair(const Instruction& i);
    void lowerCopyMemory(const Instruction& i);
    void lowerCall(const Instruction& i);
    void lowerReturn(const Instruction& i);
    void lowerNothing(const Instruction& i);

    LongVectorContext& context_;
    Module& module_;
    HeldTypes& types_;
    Function& function_;
    FunctionWriter writer_;
    LongVectorLiveness liveness_;
    LongVectorSlots slots_;
    LongVectorLocals locals_;
    StructurePlaces places_;
    PhiPlan phis_;
    std::unordered_map<Id, StructurePlace> placed_;  // by value
    std::unordered_map<Id, Id> targets_;             // by value: a variable
    std::unordered_set<Id> owned_;                   // values that are in a slot of their own
    std::unordered_set<Id> here_;                    // values that the current block defines
    std::vector<Load> loads_;                        // of the current block
    Id returned_ = 0;                                // pointer to the variable of the result
    Id block_ = 0;
    bool hasEnded_ = false;
};

}  // namespace coopvk::rewrite
