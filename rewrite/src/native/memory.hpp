// SPDX-License-Identifier: Apache-2.0
//
// Native matrices in memory. Each returns false where the instruction stays as it is.
#pragma once

#include "native/function.hpp"

namespace coopvk::rewrite {

bool lowerNativeLoad(NativeFunction& f, const Instruction& load);
bool lowerNativeStore(NativeFunction& f, const Instruction& store);
// OpCopyMemory.
bool lowerNativeCopy(NativeFunction& f, const Instruction& copy);
bool lowerNativeUndef(NativeFunction& f, const Instruction& undef);

}  // namespace coopvk::rewrite
