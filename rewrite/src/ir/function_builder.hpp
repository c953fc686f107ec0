// SPDX-License-Identifier: Apache-2.0
//
// Builds one function that lowering adds to the module.
#pragma once

#include "ir/control_flow.hpp"

namespace coopvk::rewrite {

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
