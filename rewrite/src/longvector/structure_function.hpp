// SPDX-License-Identifier: Apache-2.0
//
// Splits the structures of one function (structures.hpp).
#pragma once

#include "ir/users.hpp"
#include "longvector/frame.hpp"
#include "longvector/structures.hpp"

namespace coopvk::rewrite {

class StructureFunction : public VariableFrame {
 public:
    StructureFunction(LongVectorContext& context, SplitTypes& types, Function& function);

    // Whether an instruction on values of such types is one that lower() knows.
    static bool lowers(const Module& module, const Instruction& i);

 private:
    using Lower = void (StructureFunction::*)(const Instruction&);

    static Lower rowOf(const Module& module, const Instruction& i);

    void setVariable(Id value, Id pointer) override;
    void own(Id value) override;
    void copyTo(Id value, Id pointer) override;
    void defineFrom(Id value, Id pointer) override;
    Id pointerTo(Id value) override;
    Id newVariableFor(Id value) override { return newPlaceFor(value).pointer; }
    void plan() override;
    void lowerOrKeep(InstructionPtr instruction) override;

    void findPairs();
    // Values of which the block only makes the contents of a variable are made in that:
    //
    //   %s = OpCompositeConstruct %structure %a %b       x.0 = a; x.1 = b
    //   OpStore %x %s
    void findTargets();
    std::optional<Id> targetOf(const Block& block, size_t at, const Users& users) const;
    bool touches(const Instruction& i) const;

    StructurePlace inVariable(Id pointer) const {
        return places_.behind(pointer, module_.pointee(pointer));
    }
    StructurePlace placeOf(Id value);
    StructurePlace slotFor(Id value);
    // A variable for a value that an instruction makes without reading a former one.
    StructurePlace newPlaceFor(Id value);
    void put(const StructurePlace& to, Id value);
    void setAlias(Id value, const StructurePlace& place, Id of);

    void lowerLoad(const Instruction& i);
    void lowerStore(const Instruction& i);
    void lowerExtract(const Instruction& i);
    void lowerInsert(const Instruction& i);
    void lowerConstruct(const Instruction& i);
    void lowerCopy(const Instruction& i);
    void lowerSelect(const Instruction& i);
    void lowerPair(const Instruction& i);
    void lowerCopyMemory(const Instruction& i);
    void lowerNothing(const Instruction& i);

    SplitTypes& types_;
    StructurePlaces places_;
    std::unordered_map<Id, StructurePlace> placed_;  // by value
    std::unordered_map<Id, Id> targets_;             // by value: a variable
    std::unordered_set<Id> owned_;                   // values that are in a slot of their own
};

}  // namespace coopvk::rewrite
