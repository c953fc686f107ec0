// SPDX-License-Identifier: Apache-2.0
//
// The blocks of a function: how they follow each other, and its loops.
#pragma once

#include "ir/module.hpp"

namespace coopvk::rewrite {

// The merge instruction of a block; nullptr where it has none.
Instruction* mergeOf(const Block& block);
// Whether a block has OpLoopMerge. It cannot be split: the back edge of its loop leads to it.
bool isLoopHeader(const Block& block);
// The number of instructions at the start of a block that are OpPhi or between those.
size_t endOfPhis(const Block& block);

// A structured loop. Blocks are numbers: indices into Function::blocks.
struct Loop {
    size_t header = 0;
    size_t continueTarget = 0;
    size_t merge = 0;
    size_t last = 0;               // of its blocks
    const Loop* around = nullptr;  // the loop that has this one in it
    size_t depth = 1;              // loops that have its blocks, with itself
    // Of loops in the order in which each is ahead of those in it: its number, and the one behind
    // the last in it.
    size_t first = 0, end = 0;
};

// What the branches of a function say. Valid until blocks are added, removed, or end otherwise.
class BlockGraph {
 public:
    explicit BlockGraph(const Function& function);
    BlockGraph(const BlockGraph&) = delete;

    // The number of the block with a label; nullopt if the function has none.
    std::optional<size_t> number(Id label) const;
    // The blocks that branch to a block, and those to which it branches, in order.
    const std::vector<size_t>& predecessors(size_t block) const { return predecessors_[block]; }
    const std::vector<size_t>& successors(size_t block) const { return successors_[block]; }

    // By header; so outer loops come before inner ones.
    const std::vector<Loop>& loops() const { return loops_; }
    size_t indexOf(const Loop& loop) const { return static_cast<size_t>(&loop - loops_.data()); }
    // The innermost loop that has a block; nullptr: none has it. Blocks that only lead out of the
    // function belong to the loop that leads to them.
    const Loop* loopOf(size_t block) const { return innermost_[block]; }
    size_t loopDepth(size_t block) const { return loopOf(block) ? loopOf(block)->depth : 0; }
    bool isInside(const Loop& loop, size_t block) const {
        const Loop* one = loopOf(block);
        return one != nullptr && one->first >= loop.first && one->first < loop.end;
    }

    // Whether one block always leads to another one, perhaps through selections. No loop may be
    // between them.
    bool alwaysLeads(size_t from, size_t to) const;

 private:
    bool staysInSelection(size_t selection, size_t merge) const;
    void findLoops();
    void collect(Loop& loop, std::vector<size_t>& outermost);
    void numberLoops();

    const Function& function_;
    std::unordered_map<Id, size_t> numbers_;
    std::vector<std::vector<size_t>> successors_, predecessors_;
    std::vector<Loop> loops_;
    std::vector<const Loop*> innermost_;
};

}  // namespace coopvk::rewrite
