// SPDX-License-Identifier: Apache-2.0
//
// The lowering of a function whose values of some types go to variables of storage class Function:
// of long vectors (function.hpp), and before that of structures with long vectors in them
// (structures.hpp). Both do the following alike.
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

#include <deque>

#include "ir/blocks.hpp"
#include "ir/users.hpp"
#include "longvector/frame.hpp"
#include "longvector/types.hpp"
#include "lowering/context.hpp"

namespace coopvk::rewrite {

// Variables that hold long vectors, one value after the other:
//
//   %a = ...          slot = a            a and b are never needed at the same time
//   OpStore %p %a     p = slot
//   %b = ...          slot = b

// Where the long vectors of a function are needed: a variable that nothing reads any more is free
// for other values.
//
// Counts the uses of values that are not lowered yet: in the function, and in the block that is
// being lowered. A phi uses its operands at the end of the blocks that they come from.
class LongVectorLiveness {
 public:
    // Of the values of which isInVariable(type) is true.
    LongVectorLiveness(const Module& module, const Function& function,
                       const std::function<bool(Id type)>& isInVariable);

    void beginBlock(const Block& block);
    // An instruction that joins the current block.
    void add(const Instruction& i);
    // An instruction of the current block, or a copy to a phi, that needs its operands no more.
    void drop(const Instruction& i);
    void drop(Id value);

    uint32_t uses(Id value) const { return countOf(all_, value); }
    // Whether something that is not lowered yet of the current block, or a later block, may read
    // the value.
    bool isNeeded(Id value) const {
        return countOf(here_, value) != 0 || isNeededBehind(value, block_);
    }
    // Whether a later block may. Copies to phis are in the block from which they come.
    bool isNeededBehind(Id value, Id block) const;
    bool isNeededBehind(Id value) const { return isNeededBehind(value, block_); }
    // How many phis take the value at the end of a block.
    size_t takenAtEndOf(Id block, Id value) const;
    // Whether the current block, or one behind it, may read the value: one other than that of its
    // definition.
    bool mayBeNeededLater(Id value) const {
        const auto found = lastBlock_.find(value);
        return found != lastBlock_.end() && found->second >= number_;
    }
    // A use of a value in the current block that the block's instructions do not show.
    void addUse(Id value) {
        ++all_[value];
        ++here_[value];
    }

 private:
    using Counts = std::unordered_map<Id, uint32_t>;

    static uint32_t countOf(const Counts& counts, Id value) {
        const auto found = counts.find(value);
        return found == counts.end() ? 0 : found->second;
    }
    void findUses(const Function& function);
    void need(Id value, size_t block, const BlockGraph& graph, const Function& function);

    const Module& module_;
    Counts all_, here_;
    Id block_ = 0;
    size_t number_ = 0;                                            // of the current block
    std::unordered_map<Id, size_t> definedIn_;                     // by value: number of a block
    std::unordered_map<Id, Counts> copied_;                        // by block: operands of phis
    std::unordered_map<Id, std::unordered_set<Id>> neededBehind_;  // by block
    std::unordered_map<Id, size_t> lastBlock_;  // by value that crosses blocks: which is behind it
    std::unordered_map<Id, size_t> numbers_;    // of blocks
};

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
    void unpinAll() { pinned_ = std::unordered_set<Id>(); }

 private:
    struct Slot {
        Id variable = 0;
        // Values that have been in it. Some may be needed on other paths.
        std::vector<Id> values;
    };

    // Those of a type, and which one of those behind the first was looked at last.
    struct OfType {
        std::vector<Slot*> slots;
        size_t last = 0;
    };

    bool isFree(const Slot& slot) const;
    Slot* findFree(OfType& all) const;
    Slot& freeSlot(Id type);
    Slot* slotOf(Id variable) const;

    LongVectorContext& context_;
    FunctionWriter& writer_;
    const LongVectorLiveness& liveness_;
    std::deque<Slot> slots_;
    std::unordered_map<Id, Slot*> byVariable_;
    std::unordered_map<Id, OfType> ofType_;
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

// Where the components of long vectors are while a function is lowered.

// Which component: its number as a constant, or the counter of a loop.
struct ComponentIndex {
    Id id = 0;                      // an integer scalar
    std::optional<uint32_t> known;  // its value
};

// A value that is not a constant is in a variable of storage class Function. Values of cooperative
// types are not: they stay values.
class LongVectorValues {
 public:
    LongVectorValues(LongVectorContext& context, FunctionWriter& writer, LongVectorSlots& slots)
        : context_(context), writer_(writer), slots_(slots) {}

    Emitter& emit() { return writer_.emit(); }
    FunctionWriter& writer() { return writer_; }
    ComponentIndex index(uint32_t number) { return {emit().constant(number), number}; }
    // Runs body(index) for all components: in a loop if they are many, else once for each.
    void each(const LongVector& vector, const std::function<void(ComponentIndex)>& body);

    LongVectorSlots& slots() { return slots_; }
    // The variable that a value is in.
    Id variableOf(Id value);
    // The variable to which the definition of a value stores: one that was set, or a slot.
    Id newVariableFor(Id value);
    // A value is in what a pointer points to, which others read, too.
    void setVariable(Id value, Id pointer) { variables_[value] = pointer; }
    bool isPlaced(Id value) const { return variables_.contains(value); }
    // A value is in a slot of its own. Then the slot may become that of another value.
    bool owns(Id value) const { return owned_.contains(value); }
    void passVariable(Id from, Id to);
    bool isIn(Id value, Id pointer) const {
        const auto found = variables_.find(value);
        return found != variables_.end() && found->second == pointer;
    }
    // Copies a value from where it was set to be to a slot.
    void own(Id value);
    // A pointer to a variable that holds a value, also of a constant.
    Id pointerTo(Id value);

    Id component(Id value, ComponentIndex at);
    std::vector<Id> components(Id value);
    void store(Id value, ComponentIndex at, Id component);
    // Stores a value behind a pointer to a variable, and the inverse, which defines it.
    void copy(Id value, Id pointer);
    void defineByPointee(Id value, Id pointer);
    // Defines a value by its components: stores them, or constructs a cooperative vector.
    void define(Id value, Id type, std::span<const Id> components);

    // Memory: a pointer to a component of the long vector behind a pointer.
    Id componentPointer(Id pointer, const LongVector& vector, ComponentIndex at);

    // A value as a constituent of type `type`: the vector's type, or that in memory.
    Id whole(Id value, Id type);
    // Defines a value by a constituent of such a type.
    void defineByWhole(Id value, Id constituent);

 private:
    Id constantComponent(const Instruction& constant, ComponentIndex at);
    Id constantVariable(const Instruction& constant);
    bool isPlainConstant(Id value) const;

    LongVectorContext& context_;
    FunctionWriter& writer_;
    LongVectorSlots& slots_;
    std::unordered_map<Id, Id> variables_;  // by value
    std::unordered_set<Id> owned_;
};

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
