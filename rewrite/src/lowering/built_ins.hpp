// SPDX-License-Identifier: Apache-2.0
//
// Input variables of built-ins that lowering reads.
#pragma once

#include <string_view>

#include "ir/emitter.hpp"

namespace coopvk::rewrite {

// The variable for the built-in in the interface of the one entry point, which may have one only; a
// new one of the scalar `type` where it has none. (Variables of other entry points may be there.)
Id builtInVariable(TypeTable& types, spv::BuiltIn builtIn, Id type, std::string_view name);

// Its value as the scalar `type`. Volatile where it may change while the shader runs.
Id readBuiltIn(Emitter& emit, spv::BuiltIn builtIn, Id type, std::string_view name,
               bool isVolatile = false);

// u32 values: the invocation in its subgroup, and the subgroup in its workgroup.
Id readLane(Emitter& emit);
Id readSubgroup(Emitter& emit);
// LocalInvocationIndex.
Id readInvocation(Emitter& emit);

}  // namespace coopvk::rewrite
