// SPDX-License-Identifier: Apache-2.0
//
// Emits structured control flow. Each construct leaves the emitter in the block that follows it.
#pragma once

#include <functional>

#include "ir/emitter.hpp"

namespace coopvk::rewrite {

// What joins the values of branches: the type and the result of a phi.
struct JoinedValue {
    Id type = 0;
    std::optional<Id> result;  // nullopt: a new id
};

class ControlFlow {
 public:
    Emitter& emit() { return emitter_; }
    // The label of the block to which the emitter appends.
    Id label() const { return blocks_.back()->id(); }

    // Declares a variable of storage class Function and returns its pointer.
    Id variable(Id type);

    // A loop: body(index) emits the body, with a u32 that runs from 0 to count - 1.
    void loop(uint32_t count, const std::function<void(Id index)>& body,
              spv::LoopControlMask control = spv::LoopControlMask::DontUnroll);
    // loop() if count is above the limit; else emits the body `count` times, with constant indices.
    void loopAbove(uint32_t limit, uint32_t count, const std::function<void(Id index)>& body,
                   spv::LoopControlMask control = spv::LoopControlMask::DontUnroll);
    // A loop that ends once the boolean that body() returns is true.
    void loopUntil(const std::function<Id()>& body);
    // Runs `then` where the boolean is true. Later code must not use values that it defines.
    void when(Condition condition, const std::function<void()>& then);
    // Runs one of two bodies.
    void choose(Condition condition, const std::function<void()>& then,
                const std::function<void()>& otherwise);
    // Computes a value of `type` in one of two ways.
    Id chooseValue(Id type, Id condition, const std::function<Id()>& then,
                   const std::function<Id()>& otherwise);
    // The same for several values at once. Returns the phis that join them.
    std::vector<Id> chooseValues(std::span<const JoinedValue> values, Id condition,
                                 const std::function<std::vector<Id>()>& then,
                                 const std::function<std::vector<Id>()>& otherwise);

 protected:
    // The emitter appends to `out` until the first block starts.
    ControlFlow(TypeTable& types, InstructionList& out) : types_(types), emitter_(types, out) {}
    // For new functions, which append nothing until their first block starts.
    explicit ControlFlow(TypeTable& types) : types_(types), emitter_(types, variables_) {}
    virtual ~ControlFlow() = default;

    // What to do ahead of a condition.
    virtual void beforeFork() {}
    void startBlock(Id label);
    // Ends the current block with a branch to a new one.
    void startNewBlock();

    TypeTable& types_;
    InstructionList variables_;
    std::vector<std::unique_ptr<Block>> blocks_;
    Emitter emitter_;

 private:
    void branch(Id label);
    void fork(Id condition, const std::function<void()>& then,
              const std::function<void()>& otherwise);
};

// Builds one function that lowering adds to the module.

using FunctionList = std::vector<std::unique_ptr<Function>>;

class FunctionBuilder : public ControlFlow {
 public:
    // Begins the function. emit() appends to it until finish() adds it to `functions`. `name` is
    // its OpName in dumps. Without a result type, the function returns nothing.
    FunctionBuilder(TypeTable& types, FunctionList& functions, std::string_view name,
                    std::optional<Id> resultType, std::span<const Id> parameterTypes);

    TypeTable& types() { return types_; }
    Module& module() { return types_.module(); }
    Id id() const { return function_->id(); }
    Id parameter(size_t index) const { return function_->parameters[index]->result; }

    // The driver's compiler is asked to keep calls of the function.
    void dontInline();

    Id load(Id pointer);
    std::vector<Id> loadAll(std::span<const Id> pointers) {
        return listFor(pointers, [&](Id pointer) { return load(pointer); });
    }
    void store(Id pointer, Id value);
    // A pointer to an element of an array variable.
    Id element(Id array, Id index);

    // Ends the function with OpReturnValue, or OpReturn without a value, and returns its id.
    Id finish(std::optional<Id> value = {});

 private:
    FunctionList& functions_;
    std::unique_ptr<Function> function_;
};

// The editor of control flow: rewrites one function block by block, in order. New instructions go
// to the current block, which conditions and loops split. Phis that name a split block name its
// last part afterwards, the first part of a loop header keeps its phis and OpLoopMerge, and sampled
// images are repeated where a later part uses them:
//
//   before:                     h:  phis, a, b, merge
//   after when(c, x) at a:      h:  phis, merge, branch to h2
//                               h2: a, if (c) { x }
//                               h3: b
//
// A loop header must not be its loop's continue target where it is split (passes/whole_module.hpp).

class FunctionEditor : private ControlFlow {
 public:
    FunctionEditor(TypeTable& types, Function& function);

    using ControlFlow::choose;
    using ControlFlow::chooseValue;
    using ControlFlow::chooseValues;
    using ControlFlow::emit;
    using ControlFlow::label;
    using ControlFlow::variable;
    using ControlFlow::when;

    // Begins the new version of a block. The caller visits its old instructions, which lack
    // OpLoopMerge from now on.
    void beginBlock(Block& block);
    // Appends an instruction of the old block unchanged.
    void keep(InstructionPtr instruction);
    // Appends those up to number `end`.
    void keep(InstructionList& body, size_t begin, size_t end) {
        for (size_t at = begin; at < end; ++at) keep(std::move(body[at]));
    }
    void endBlock();

    // Ends the current block with a branch to a new one. Returns its label.
    Id split();

    void loop(uint32_t count, const std::function<void(Id index)>& body,
              spv::LoopControlMask control = spv::LoopControlMask::MaskNone);

    // Replaces the function's blocks by the new ones.
    void finish();

 protected:
    // Instructions at the start of the function.
    InstructionList& prologue() { return prologue_; }

 private:
    struct SampledImage {
        Id result = 0;  // of the last copy
        Id part = 0;    // the label of the block that has it
    };

    void beforeFork() override { splitLoopHeader(); }
    void splitLoopHeader();
    void repeatSampledImages(Instruction& user);
    void updatePhis();

    Function& function_;
    InstructionList prologue_;
    std::unordered_map<Id, Id> lastPartOf_;     // label of an old block -> label of its last part
    std::map<Id, SampledImage> sampledImages_;  // of the current block
    Id current_ = 0;                            // label of the old block being rewritten
    Block* header_ = nullptr;   // first part of the current block, if it is a loop header
    InstructionPtr loopMerge_;  // its OpLoopMerge, until the header is split or ends
};

}  // namespace coopvk::rewrite
