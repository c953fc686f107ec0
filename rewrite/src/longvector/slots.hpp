// SPDX-License-Identifier: Apache-2.0
//
// Variables that hold long vectors, one value after the other:
//
//   %a = ...          slot = a            a and b are never needed at the same time
//   OpStore %p %a     p = slot
//   %b = ...          slot = b
#pragma once

#include <deque>

#include "ir/blocks.hpp"
#include "ir/users.hpp"
#include "longvector/types.hpp"
#include "lowering/context.hpp"

namespace coopvk::rewrite {

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

}  // namespace coopvk::rewrite
