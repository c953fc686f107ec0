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
    Id result = 0;  // 0: a new id
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
    void repeat(uint32_t count, uint32_t limit, const std::function<void(Id index)>& body);
    // A loop that ends once the boolean that body() returns is true.
    void loopUntil(const std::function<Id()>& body);
    // Runs `then` where the boolean is true; 0: it is known to be.
    void when(Id condition, const std::function<void()>& then);
    void choose(Id condition, const std::function<void()>& then,
                const std::function<void()>& otherwise);
    // choose() for two ways to compute a value of `type`.
    Id chooseValue(Id type, Id condition, const std::function<Id()>& then,
                   const std::function<Id()>& otherwise);
    // The same for several values at once. Returns the phis.
    std::vector<Id> chooseValues(std::span<const JoinedValue> values, Id condition,
                                 const std::function<std::vector<Id>()>& then,
                                 const std::function<std::vector<Id>()>& otherwise);

 protected:
    // The emitter appends to `out` until the first block starts.
    ControlFlow(TypeTable& types, InstructionList& out) : types_(types), emitter_(types, out) {}
    // For new functions, which append nothing until their first block starts.
    explicit ControlFlow(TypeTable& types) : types_(types), emitter_(types, variables_) {}
    ~ControlFlow() = default;

    void startBlock(Id label);
    // Ends the current block with a branch to a new one.
    void startNewBlock();

    TypeTable& types_;
    InstructionList variables_;
    std::vector<std::unique_ptr<Block>> blocks_;
    Emitter emitter_;

 private:
    void branch(Id label);
};

// Builds one function that lowering adds to the module.

using FunctionList = std::vector<std::unique_ptr<Function>>;

class FunctionBuilder : public ControlFlow {
 public:
    // Begins the function. emit() appends to it until finish() adds it to `functions`. `name` is
    // its OpName in dumps. resultType 0: void.
    FunctionBuilder(TypeTable& types, FunctionList& functions, std::string_view name, Id resultType,
                    std::span<const Id> parameterTypes);

    TypeTable& types() { return types_; }
    Module& module() { return types_.module(); }
    Id id() const { return function_->id(); }
    Id parameter(size_t index) const { return function_->parameters[index]->result; }

    Id load(Id pointer);
    void store(Id pointer, Id value);
    // A pointer to an element of an array variable.
    Id element(Id array, Id index);

    // Ends the function with OpReturnValue (value 0: OpReturn) and returns its id.
    Id finish(Id value = 0);

 private:
    FunctionList& functions_;
    std::unique_ptr<Function> function_;
};

}  // namespace coopvk::rewrite
