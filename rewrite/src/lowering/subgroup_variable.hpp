// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ir/emitter.hpp"

namespace coopvk::rewrite {

// The entry point's input variable with the number of the subgroup in its workgroup; made where it
// has none.
Id subgroupVariable(TypeTable& types);
// Its value as a u32.
Id readSubgroup(TypeTable& types, Emitter& emit);

}  // namespace coopvk::rewrite
