// SPDX-License-Identifier: Apache-2.0
//
// Input variables for the built-ins that lowering reads.
#pragma once

#include <string_view>

#include "ir/emitter.hpp"

namespace coopvk::rewrite {

// The variable for the built-in in the interface of the entry point, or a new one of the scalar
// `type`. An interface may have only one, and the module may have others that are not in it.
Id builtInVariable(TypeTable& types, spv::BuiltIn builtIn, Id type, std::string_view name);

// Loads its value as the scalar `type`. `isVolatile`: it may change while the shader executes.
Id readBuiltIn(Emitter& emit, spv::BuiltIn builtIn, Id type, std::string_view name,
               bool isVolatile = false);

// Load SubgroupLocalInvocationId, SubgroupId and LocalInvocationIndex as u32.
Id readLane(Emitter& emit);
Id readSubgroup(Emitter& emit);
Id readInvocation(Emitter& emit);

}  // namespace coopvk::rewrite
