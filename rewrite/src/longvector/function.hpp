// SPDX-License-Identifier: Apache-2.0
//
// Lowers the long vectors of one function.
#pragma once

#include "longvector/group.hpp"
#include "longvector/loads.hpp"
#include "longvector/locals.hpp"

namespace coopvk::rewrite {

// A phi of a long vector:
//
//   %a = OpPhi %vector %b %one %c %two       one: in = b;   two: in = c;   here: a = in;
//
// The copy from `in` is made only where `a` is defined, since other blocks may still use the
// former value. Where none does, `a` is `in`.
struct LongVectorPhi {
    Id result = 0;
    Id incoming = 0;  // variable
};

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
    void lowerParameters();
    void planPhis();
    bool isSafeAsIncoming(const Block& block, const Instruction& phi) const;
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
    std::unordered_map<Id, std::vector<LongVectorPhi>> phis_;        // by block
    std::unordered_map<Id, std::vector<std::pair<Id, Id>>> copies_;  // by block: to, from
    std::unordered_set<Id> here_;  // values that the current block defines
    Id block_ = 0;
    bool hasEnded_ = false;  // the current block's copies are made
};

// Rewrites an instruction of GLSL.std.450 that is not computed for each component alone: Length,
// Normalize, Reflect and so on. False: it is another one.
bool expandGeometry(LongVectorFunction& function, const Instruction& i);

}  // namespace coopvk::rewrite
