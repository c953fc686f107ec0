// SPDX-License-Identifier: Apache-2.0
//
// Where the long vectors of a function are needed: a variable that nothing reads any more is free
// for other values.
#pragma once

#include "ir/blocks.hpp"
#include "longvector/types.hpp"

namespace coopvk::rewrite {

// Counts the uses of values that are not lowered yet: in the function, and in the block that is
// being lowered. A phi uses its operands at the end of the blocks that they come from.
class LongVectorLiveness {
 public:
    // Of the values of which isInVariable(type) is true.
    LongVectorLiveness(const Function& function, const std::function<bool(Id type)>& isInVariable);

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
    // Whether a block other than that of its definition may read the value.
    bool crossesBlocks(Id value) const { return crossing_.contains(value); }
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

    Counts all_, here_;
    Id block_ = 0;
    std::unordered_map<Id, size_t> definedIn_;                     // by value: number of a block
    std::unordered_map<Id, std::vector<Id>> copied_;               // by block: operands of phis
    std::unordered_map<Id, std::unordered_set<Id>> neededBehind_;  // by block
    std::unordered_set<Id> crossing_;
};

}  // namespace coopvk::rewrite
