// SPDX-License-Identifier: Apache-2.0
//
// Rewrites one function block by block: new instructions go to the current block, which can be
// split to make room for control flow; values that are the same in the whole function (lane
// numbers) go to a prologue in the entry block.
#pragma once

#include "lowering/context.hpp"

namespace coopvk::rewrite {

class FunctionWriter : private ControlFlow {
 public:
    FunctionWriter(LoweringContext& context, Function& function);

    using ControlFlow::emit;

    // Starts the rewritten version of a block; its old instructions are for the caller to walk.
    void beginBlock(Block& block);
    // Appends an instruction of the old block as it is.
    void keep(InstructionPtr instruction);
    // Ends the block that began with beginBlock.
    void endBlock();

    // Runs `body` only where the boolean is true (0: it is known to be): splits the current block
    // around it. The body must not leave values behind for later code.
    void guarded(Id condition, const std::function<void()>& body);

    // Runs one of two bodies; or makes one of two values of a type, for later code. As for guarded.
    void chosen(Id condition, const std::function<void()>& then,
                const std::function<void()>& otherwise);
    Id chosenValue(Id type, Id condition, const std::function<Id()>& then,
                   const std::function<Id()>& otherwise);

    // Runs body(index) with index, a u32, from 0 to count - 1 at run time. As for guarded.
    void repeated(uint32_t count, const std::function<void(Id index)>& body);

    Id variable(Id type);  // a new one of the function; its pointer

    Id lane();  // SubgroupLocalInvocationId as a u32, the same in the whole function

    // Replaces the function's blocks with the rewritten ones and mends phis.
    void finish();

 protected:
    LoweringContext& context() { return context_; }
    // Instructions at the start of the function.
    InstructionList& prologue() { return prologue_; }
    // Emits into the prologue once for a key.
    template <typename Make>
    Id once(std::pair<int, uint32_t> key, Make make) {
        const auto found = prologueValues_.find(key);
        if (found != prologueValues_.end()) return found->second;
        Emitter prologue(context_.types, prologue_);
        const Id value = make(prologue);
        prologueValues_[key] = value;
        return value;
    }

 private:
    void leaveLoopHeader();
    void mendPhis();

    LoweringContext& context_;
    Function& function_;
    InstructionList variables_;
    InstructionList prologue_;
    std::map<std::pair<int, uint32_t>, Id> prologueValues_;
    std::map<Id, Id> lastPartOf_;  // label of an old block -> label of its last part
    Id current_ = 0;               // label of the old block being rewritten
    Block* header_ = nullptr;      // first part of the current block, if it is a loop header
    InstructionPtr loopMerge_;     // its OpLoopMerge, held until we know whether it is split
};

}  // namespace coopvk::rewrite
