// SPDX-License-Identifier: Apache-2.0
//
// Functions that lowering adds to the module, made once for a key and named for what they do.
#pragma once

#include <functional>

#include "matrix/context.hpp"

namespace coopvk::rewrite {

class HelperFunction {
 public:
    // Begins the function; instructions go to emit() until finish().
    HelperFunction(LoweringContext& context, std::string_view name, Id resultType,
                   std::span<const Id> parameterTypes);

    Id id() const { return function_->id(); }
    Id parameter(size_t index) const { return function_->parameters[index]->result; }
    Emitter& emit() { return emitter_; }
    // Function-local variable; its pointer.
    Id variable(Id type);
    // Runs body(index) with index, a u32, from 0 to count - 1 at run time.
    void loop(uint32_t count, const std::function<void(Id index)>& body);
    // Ends the function with OpReturnValue and hands it to the module.
    void finish(Id value);

 private:
    void startBlock(Id label);

    LoweringContext& context_;
    std::unique_ptr<Function> function_;
    InstructionList variables_;
    Emitter emitter_;
};

}  // namespace coopvk::rewrite
