// SPDX-License-Identifier: Apache-2.0
//
// Lowers the long vectors of one function.
#pragma once

#include "longvector/frame.hpp"
#include "longvector/group.hpp"

namespace coopvk::rewrite {

class LongVectorFunction : public VariableFrame {
 public:
    LongVectorFunction(LongVectorContext& context, Function& function);

    // -----------------------------------------------------------------------------------------
    // For the code of single instructions

    LongVectorContext& context() { return context_; }
    LongVectorValues& values() { return values_; }
    using VariableFrame::emit;
    void flush() { group_.flush(); }
    // An instruction that is lowered as if it stood in the block.
    void lowerNew(InstructionPtr instruction) {
        liveness_.add(*instruction);
        lowerOne(std::move(instruction));
    }
    // The components of a scalar, of a core vector, or of a long vector.
    std::vector<Id> componentsOf(Id value);
    Id component(Id value, ComponentIndex at) { return group_.component(value, at); }

 private:
    // The types of a structure of two vectors, and of one component of each.
    struct Pair {
        std::array<const LongVector*, 2> vectors{};
        std::array<Id, 2> scalars{};
        Id type = 0;
        bool isLooped = true;
    };

    void setVariable(Id value, Id pointer) override { values_.setVariable(value, pointer); }
    void own(Id value) override { values_.own(value); }
    void copyTo(Id value, Id pointer) override {
        if (!values_.isIn(value, pointer)) values_.copy(value, pointer);
    }
    void defineFrom(Id value, Id pointer) override { values_.defineByPointee(value, pointer); }
    Id pointerTo(Id value) override { return values_.pointerTo(value); }
    Id newVariableFor(Id value) override { return values_.newVariableFor(value); }
    void plan() override;
    void lowerOrKeep(InstructionPtr instruction) override;

    bool touches(const Instruction& i) const;
    // Whether the lowering of cooperative vectors does all of an instruction.
    bool isLeftForCooperative(const Instruction& i) const;
    // Whether a group may be emitted behind an instruction that has no long vectors.
    bool mayPrecedeGroup(const Instruction& i) const;
    bool mayChangeLoad(const Instruction& i) const;
    // Whether what is loaded can be read in its place.
    bool isReadInPlace(const Instruction& i) const;
    void lowerOne(InstructionPtr instruction);
    bool lowerAlone(const Instruction& i);

    // For single instructions. The group is empty, except for the first two.
    void lowerExtract(const Instruction& i);
    void lowerDynamicExtract(const Instruction& i);
    void lowerInsert(const Instruction& i);
    void lowerDynamicInsert(const Instruction& i);
    void insertAt(const Instruction& i, Id composite, Id object, ComponentIndex at);
    void lowerConstruct(const Instruction& i);
    void lowerShuffle(const Instruction& i);
    void lowerBitcast(const Instruction& i);
    void lowerPair(const Instruction& i);
    std::optional<Pair> pairOf(const Instruction& i);
    std::array<Id, 2> pairAt(const Instruction& i, const Pair& pair, ComponentIndex at);
    std::array<Id, 2> lowerPairInLoop(const Instruction& i, const Pair& pair);
    void lowerCopyMemory(const Instruction& i);
    // Of a type with cooperative vectors, for which memory has arrays.
    void lowerCopyLogical(const Instruction& i);
    Id logicalCopy(Id value, Id to);

    LongVectorValues values_;
    LongVectorGroup group_;
    std::unordered_map<Id, std::array<Id, 2>> pairs_;  // by result: the variables of its members
};

// Rewrites an instruction of GLSL.std.450 that is not computed for each component alone: Length,
// Normalize, Reflect and so on. False: it is another one.
bool expandGeometry(LongVectorFunction& function, const Instruction& i);

}  // namespace coopvk::rewrite
