// SPDX-License-Identifier: Apache-2.0
//
// Lowers the long vectors of one function.
#pragma once

#include "longvector/group.hpp"
#include "longvector/loads.hpp"
#include "longvector/locals.hpp"
#include "longvector/phi_plan.hpp"

namespace coopvk::rewrite {

class LongVectorFunction {
 public:
    LongVectorFunction(LongVectorContext& context, Function& function);

    void lower();

    // -----------------------------------------------------------------------------------------
    // For the code of single instructions

    LongVectorContext& context() { return context_; }
    LongVectorValues& values() { return values_; }
    Emitter& emit() { return writer_.emit(); }
    void flush() { group_.flush(); }
    // An instruction that is lowered as if it stood in the block.
    void lowerNew(InstructionPtr instruction) {
        liveness_.add(*instruction);
        lower(std::move(instruction));
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

    void lowerParameters();
    void planPhis();
    void planReturn(const Block& block);
    void beginBlock(Block& block);
    void endBlock();
    void copyToPhis(Id block);
    void copyFromPhis(Id block);

    bool touches(const Instruction& i) const;
    // Whether the lowering of cooperative vectors does all of an instruction.
    bool isLeftForCooperative(const Instruction& i) const;
    // Whether a group may be emitted behind an instruction that has no long vectors.
    bool mayPrecedeGroup(const Instruction& i) const;
    void visit(InstructionPtr instruction);
    void lowerOrKeep(InstructionPtr instruction);
    void lower(InstructionPtr instruction);
    bool lowerInPlace(const Instruction& i);

    // Each is called with an empty group, except the first two.
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
    void lowerCall(const Instruction& i);
    void lowerReturn(const Instruction& i);

    LongVectorContext& context_;
    Module& module_;
    Function& function_;
    FunctionWriter writer_;
    LongVectorLiveness liveness_;
    LongVectorSlots slots_;
    LongVectorValues values_;
    LongVectorLoads loads_;
    LongVectorLocals locals_;
    LongVectorGroup group_;
    Id returned_ = 0;  // pointer to the variable for the function's result
    PhiPlan phis_;
    std::unordered_map<Id, std::array<Id, 2>> pairs_;  // by result: the variables of its members
    std::unordered_set<Id> here_;                      // values that the current block defines
    Id block_ = 0;
    bool hasEnded_ = false;  // the current block's copies are made
};

// Rewrites an instruction of GLSL.std.450 that is not computed for each component alone: Length,
// Normalize, Reflect and so on. False: it is another one.
bool expandGeometry(LongVectorFunction& function, const Instruction& i);

}  // namespace coopvk::rewrite
