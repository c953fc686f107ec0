// SPDX-License-Identifier: Apache-2.0
//
// Consecutive instructions of a block that compute each component of their results from the same
// components of their operands. They become one loop, or one sequence for each component:
//
//   %a = OpLoad %vector %p           for i:
//   %b = OpFMul %vector %a %c          a = p[i];
//   OpStore %q %b                      q[i] = a * c[i];
//
// Results that only the group uses need no variables.
#pragma once

#include "longvector/values.hpp"

namespace coopvk::rewrite {

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

// Instructions that combine terms of all components to a scalar or a ballot (reductions.cpp).

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

}  // namespace coopvk::rewrite
