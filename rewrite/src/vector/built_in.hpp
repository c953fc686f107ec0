// SPDX-License-Identifier: Apache-2.0
//
// Built-in inputs that lowering reads.
#pragma once

#include "vector/context.hpp"

namespace coopvk::rewrite {

// The value of a built-in input of scalar type; the variable is the module's own or made once.
Id readBuiltIn(VectorContext& context, Emitter& emit, spv::BuiltIn builtIn, Id type,
               std::string_view name, bool isVolatile = false);

}  // namespace coopvk::rewrite
