// SPDX-License-Identifier: Apache-2.0
//
// What lowering one function to native matrices shares.
#pragma once

#include "lowering/function_writer.hpp"
#include "native/plan.hpp"
#include "native/staging.hpp"

namespace coopvk::rewrite {

struct NativeFunction {
    LoweringContext& context;
    TypeTable& types;
    const NativePlan& plan;
    Staging& staging;
    FunctionWriter writer;
    InstructionList variables = {};    // to go to the entry block
    std::map<Id, Id> variableOf = {};  // by matrix type

    const TiledType* typeOf(Id value) const { return plan.type(context.module.def(value).type); }
};

}  // namespace coopvk::rewrite
