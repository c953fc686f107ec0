// SPDX-License-Identifier: Apache-2.0
//
// Native matrices of one role turned into another, and into the lanes' arrays and back, by way of
// shared memory.
#pragma once

#include "native/context.hpp"

namespace coopvk::rewrite {

// Announces what the functions below will need.
void reserveStaging(NativeContext& context);

void lowerNativeRole(NativeFunction& f, const Instruction& conversion);
void lowerConstructFromLines(NativeFunction& f, const Instruction& construct);
void lowerExtractLines(NativeFunction& f, const Instruction& extract);

}  // namespace coopvk::rewrite
