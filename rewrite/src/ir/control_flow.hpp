// SPDX-License-Identifier: Apache-2.0
//
// Structured control flow in a list of blocks to which instructions are appended.
#pragma once

#include <functional>

#include "ir/emitter.hpp"

namespace coopvk::rewrite {

class ControlFlow {
 public:
    Emitter& emit() { return emitter_; }

    // Runs body(index) with index, a u32, from 0 to count - 1 at run time.
    void loop(uint32_t count, const std::function<void(Id index)>& body,
              spv::LoopControlMask control = spv::LoopControlMask::DontUnroll);
    // Runs body(index) for 0 to count - 1: at run time where count is above the limit, else one
    // after the other, with constants.
    void repeat(uint32_t count, uint32_t limit, const std::function<void(Id index)>& body);
    // Runs body until the boolean that it returns is true.
    void loopUntil(const std::function<Id()>& body);
    void when(Id condition, const std::function<void()>& then);
    void choose(Id condition, const std::function<void()>& then,
                const std::function<void()>& otherwise);
    // The same of two values of a type.
    Id chooseValue(Id type, Id condition, const std::function<Id()>& then,
                   const std::function<Id()>& otherwise);

 protected:
    // Instructions go to `out` until a block is started.
    ControlFlow(TypeTable& types, InstructionList& out) : types_(types), emitter_(types, out) {}
    ~ControlFlow() = default;

    void startBlock(Id label);
    // Ends the block with a branch to a new one.
    void startNewBlock();

    TypeTable& types_;
    std::vector<std::unique_ptr<Block>> blocks_;
    Emitter emitter_;

 private:
    void branch(Id label);
};

}  // namespace coopvk::rewrite
