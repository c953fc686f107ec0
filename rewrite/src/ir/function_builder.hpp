// SPDX-License-Identifier: Apache-2.0
//
// Builds one function that lowering adds to the module: parameters, variables, structured control
// flow. Named for what it does, so that a dump reads well.
#pragma once

#include <functional>

#include "ir/emitter.hpp"

namespace coopvk::rewrite {

using FunctionList = std::vector<std::unique_ptr<Function>>;

class FunctionBuilder {
 public:
    // Begins the function; instructions go to emit() until finish(), which appends it to
    // `functions`. resultType 0: void.
    FunctionBuilder(TypeTable& types, FunctionList& functions, std::string_view name, Id resultType,
                    std::span<const Id> parameterTypes);

    TypeTable& types() { return types_; }
    Module& module() { return types_.module(); }
    Emitter& emit() { return emitter_; }
    Id id() const { return function_->id(); }
    Id parameter(size_t index) const { return function_->parameters[index]->result; }

    // Function-local variable; its pointer.
    Id variable(Id type);
    Id load(Id pointer);
    void store(Id pointer, Id value);
    // Element of a local array variable.
    Id element(Id array, Id index);

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

    // Ends the function with OpReturnValue (0: OpReturn) and appends it to the list.
    Id finish(Id value = 0);

 private:
    void startBlock(Id label);
    void branch(Id label);

    TypeTable& types_;
    FunctionList& functions_;
    std::unique_ptr<Function> function_;
    InstructionList variables_;
    Emitter emitter_;
};

}  // namespace coopvk::rewrite
