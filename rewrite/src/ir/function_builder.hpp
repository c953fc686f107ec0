// SPDX-License-Identifier: Apache-2.0
//
// Builds one function that lowering adds to the module. Named for what it does, so that a dump
// reads well.
#pragma once

#include "ir/control_flow.hpp"

namespace coopvk::rewrite {

using FunctionList = std::vector<std::unique_ptr<Function>>;

class FunctionBuilder : public ControlFlow {
 public:
    // Begins the function; instructions go to emit() until finish(), which appends it to
    // `functions`. resultType 0: void.
    FunctionBuilder(TypeTable& types, FunctionList& functions, std::string_view name, Id resultType,
                    std::span<const Id> parameterTypes);

    TypeTable& types() { return types_; }
    Module& module() { return types_.module(); }
    Id id() const { return function_->id(); }
    Id parameter(size_t index) const { return function_->parameters[index]->result; }

    // Function-local variable; its pointer.
    Id variable(Id type);
    Id load(Id pointer);
    void store(Id pointer, Id value);
    // Element of a local array variable.
    Id element(Id array, Id index);

    // Ends the function with OpReturnValue (0: OpReturn) and appends it to the list.
    Id finish(Id value = 0);

 private:
    FunctionList& functions_;
    std::unique_ptr<Function> function_;
    InstructionList variables_;
};

}  // namespace coopvk::rewrite
