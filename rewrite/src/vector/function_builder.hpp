// SPDX-License-Identifier: Apache-2.0
//
// Builds one helper function: parameters, variables, structured control flow.
#pragma once

#include <functional>

#include "vector/context.hpp"

namespace coopvk::rewrite {

class FunctionBuilder {
 public:
    // Begins the function; instructions go to emit() until finish(). resultType 0: void.
    FunctionBuilder(VectorContext& context, std::string_view name, Id resultType,
                    std::span<const Id> parameterTypes);

    VectorContext& context() { return context_; }
    TypeTable& types() { return context_.types; }
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

    // Ends the function with OpReturnValue (0: OpReturn) and hands it to the module.
    Id finish(Id value = 0);

 private:
    void startBlock(Id label);
    void branch(Id label);

    VectorContext& context_;
    std::unique_ptr<Function> function_;
    InstructionList variables_;
    Emitter emitter_;
};

}  // namespace coopvk::rewrite
