// SPDX-License-Identifier: Apache-2.0
//
// Lowers the long vectors of one function.
#pragma once

#include "longvector/frame.hpp"
#include "longvector/function.hpp"

namespace coopvk::rewrite {

// Consecutive instructions of a block that compute each component of their results from the same
// components of their operands. They become one loop, or one sequence for each component:
//
//   %a = OpLoad %vector %p           for i:
//   %b = OpFMul %vector %a %c          a = p[i];
//   OpStore %q %b                      q[i] = a * c[i];
//
// Results that only the group uses need no variables.

class LongVectorGroup {
 public:
    LongVectorGroup(LongVectorContext& context, LongVectorValues& values,
                    LongVectorLiveness& liveness)
        : context_(context), values_(values), liveness_(liveness) {}

    // Adds an instruction. Others of the group must be emitted first if their vectors have another
    // number of components, or it writes to memory that they read.
    void add(InstructionPtr instruction);
    // Adds an instruction that combines terms of all components to a scalar, and emits the group.
    void addReduction(InstructionPtr instruction);
    // Emits what has been added.
    void flush();

    bool has(Id value) const { return results_.contains(value); }
    // A component of a value, also of the group. A result is computed for this component alone.
    Id component(Id value, ComponentIndex at);
    // Whether computing a component of a result alone is worth it.
    bool isShort() const { return members_.size() <= kShort; }
    // Whether a result depends on what other lanes compute: then all must compute the same
    // component.
    bool readsOtherLanes() const;

 private:
    static constexpr size_t kShort = 4;

    const LongVector& vectorOf(const Instruction& i) const;
    void pin(const Instruction& i);
    bool readsMemoryOf(const Instruction& store) const;
    Id emitMember(const Instruction& i, ComponentIndex at);
    Operands operandsAt(const Instruction& i, ComponentIndex at);
    void emitAt(ComponentIndex at);
    void emit(const std::function<void(ComponentIndex)>& body);
    void dropUnneeded();

    LongVectorContext& context_;
    LongVectorValues& values_;
    LongVectorLiveness& liveness_;
    InstructionList members_;
    std::unordered_map<Id, const Instruction*> results_;
    std::unordered_map<Id, Id> current_;                   // components of results for one index
    std::unordered_map<Id, std::vector<Id>> cooperative_;  // components of results, in order
    bool isEmitting_ = false;
};

// Instructions that combine terms of all components to a scalar or a ballot (composites.cpp).

// OpDot, OpAny, OpAll, OpSDot and so on, OpGroupNonUniformAllEqual, OpGroupNonUniformPartitionEXT.
bool isReduction(spv::Op opcode);

// The number of the first operand that is a long vector.
size_t firstVector(spv::Op opcode);
// The type of terms: that of the result, but f32 for OpDot of bfloat16, which has no arithmetic.
Id termType(TypeTable& types, const Instruction& reduction);
// The term of one component. `operands`: those of the instruction, with components for vectors.
Id reductionTerm(Emitter& emit, const Instruction& reduction, const Operands& operands);
Id combineTerms(Emitter& emit, const Instruction& reduction, Id a, Id b);
// What changes no sum: -0.0, true and so on.
Id neutralTerm(Emitter& emit, const Instruction& reduction);
// The result of the combined terms: converted, or with the accumulator of OpSDotAccSat and so on.
Id reductionResult(Emitter& emit, const Instruction& reduction, Id combined);

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
