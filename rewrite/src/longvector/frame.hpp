// SPDX-License-Identifier: Apache-2.0
//
// The lowering of a function whose values of some types go to variables of storage class Function:
// of long vectors (function.hpp), and before that of structures with long vectors in them
// (structure_function.hpp). Both do the following alike.
//
// Parameters are pointers to variables that the function only reads. A result is written to a
// variable of the caller:
//
//   %r = OpFunctionCall %vector %f %a        f(pointer to a, pointer to r)
//
// What is loaded is not copied: the block reads it where it is until an instruction may change it.
//
// A phi's values are stored where they come from, and copied where the phi is, since other blocks
// may still use its former value. If none does, the phi's value stays in the first variable:
//
//   %a = OpPhi %vector %b %one %c %two       one: in = b;   two: in = c;   here: a = in
#pragma once

#include "longvector/slots.hpp"

namespace coopvk::rewrite {

class VariableFrame {
 public:
    VariableFrame(const VariableFrame&) = delete;
    void lower();

 protected:
    // Which values are in variables, and the types of these variables.
    struct VariableTypes {
        std::function<bool(Id type)> areInVariables;
        std::function<Id(Id type)> ofVariable;
    };
    VariableFrame(LongVectorContext& context, Function& function, VariableTypes types);
    virtual ~VariableFrame() = default;

    // A value is where a pointer points to, which others read, too.
    virtual void setVariable(Id value, Id pointer) = 0;
    // Gives a value a variable of its own, with a copy of where it was set to be.
    virtual void own(Id value) = 0;
    // Copies a value to a variable, unless it is there; and the inverse, which defines the value.
    virtual void copyTo(Id value, Id pointer) = 0;
    virtual void defineFrom(Id value, Id pointer) = 0;
    // A pointer to a variable that has a value, and one to which its definition writes.
    virtual Id pointerTo(Id value) = 0;
    virtual Id newVariableFor(Id value) = 0;
    // Ahead of all blocks.
    virtual void plan() {}
    virtual void lowerOrKeep(InstructionPtr instruction) = 0;

    Emitter& emit() { return writer_.emit(); }
    bool isInVariable(Id value) const { return variables_.areInVariables(module_.def(value).type); }
    // Whether the current block defines a value.
    bool isFromHere(Id value) const { return here_.contains(value); }

    // Something that was loaded and is read in its place.
    struct Load {
        Id value = 0;
        Id pointer = 0;
        Id root = 0;
        bool isOfInvocation = false;  // the root is a variable of the invocation
    };
    bool isOfInvocation(Id root) const;
    // Notes that the result of a load is read in its place.
    void readInPlace(const Instruction& load);
    bool mayWrite(const Instruction& i) const;
    bool mayWriteTo(const Load& load, const Instruction& i) const;
    // Copies what test(load) is true for, as far as it is needed, and forgets these loads.
    template <typename Test>
    void ownLoads(Test test) {
        std::erase_if(loads_, [&](const Load& load) {
            if (!test(load)) return false;
            if (liveness_.isNeeded(load.value)) own(load.value);
            return true;
        });
    }

    // Whether an instruction ends what the block computes: nothing may stand between OpLoopMerge
    // and the branch.
    static bool endsBlock(const Instruction& i);
    // Must be called ahead of such an instruction; the values are where later blocks read them.
    void leaveBlock();

    void lowerCall(const Instruction& i);
    void lowerReturn(const Instruction& i);

    LongVectorContext& context_;
    Module& module_;
    Function& function_;
    FunctionWriter writer_;
    const VariableTypes variables_;
    LongVectorLiveness liveness_;
    LongVectorSlots slots_;
    LongVectorLocals locals_;
    std::vector<Load> loads_;     // of the current block
    std::optional<Id> returned_;  // pointer to the variable for the function's result, if any

 private:
    struct Phi {
        Id result = 0;
        Id incoming = 0;  // variable
    };

    void lowerParameters();
    InstructionPtr pointerParameter(Id type);
    void planPhis();
    bool isSafeAsIncoming(const Instruction& phi) const;
    void beginBlock(Block& block);
    void visit(InstructionPtr instruction);

    struct Copy {
        Id to = 0;  // variable
        Id from = 0;
    };

    std::unordered_map<Id, std::vector<Phi>> copiedPhis_;  // by block
    std::unordered_map<Id, std::vector<Copy>> copies_;     // by block
    std::unordered_set<Id> here_;
    Id block_ = 0;
    bool hasLeft_ = false;  // leaveBlock() was called
};

// Lowers each function by lower(function), and forgets what is gone then: values and variables of
// types for which isLowered(type) is true. Stops at the first error.
void lowerFunctions(LongVectorContext& context, const std::function<bool(Id type)>& isLowered,
                    const std::function<void(Function&)>& lower);

}  // namespace coopvk::rewrite
