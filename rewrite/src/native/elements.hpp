// SPDX-License-Identifier: Apache-2.0
//
// Elements of native matrices, and how many an invocation has: only the driver knows which they
// are. Each returns false where the instruction stays, perhaps changed in place.
#pragma once

#include "native/context.hpp"

namespace coopvk::rewrite {

bool lowerNativeLength(NativeFunction& f, const Instruction& length);
bool lowerNativeExtract(NativeFunction& f, const Instruction& extract);
bool lowerNativeInsert(NativeFunction& f, const Instruction& insert);
// An access chain, always in place.
bool lowerNativeChain(NativeFunction& f, Instruction& chain);

}  // namespace coopvk::rewrite
