// SPDX-License-Identifier: Apache-2.0
//
// The lowering of instructions on native matrices. Where one returns false, the instruction stays,
// perhaps changed in place.
#pragma once

#include "native/context.hpp"

namespace coopvk::rewrite {

// In memory. The copy is OpCopyMemory.
bool lowerNativeLoad(NativeFunction& f, const Instruction& load);
bool lowerNativeStore(NativeFunction& f, const Instruction& store);
bool lowerNativeCopy(NativeFunction& f, const Instruction& copy);
bool lowerNativeUndef(NativeFunction& f, const Instruction& undef);

// Elements, and how many an invocation has: only the driver knows which they are.
bool lowerNativeLength(NativeFunction& f, const Instruction& length);
bool lowerNativeExtract(NativeFunction& f, const Instruction& extract);
bool lowerNativeInsert(NativeFunction& f, const Instruction& insert);
bool lowerNativeChain(NativeFunction& f, Instruction& chain);  // always in place

// One role turned into another, and into the lanes' arrays and back, by way of shared memory:
// reserveStaging() announces how much of it.
void reserveStaging(NativeContext& context);
void lowerNativeRole(NativeFunction& f, const Instruction& conversion);
void lowerConstructFromLines(NativeFunction& f, const Instruction& construct);
void lowerExtractLines(NativeFunction& f, const Instruction& extract);

}  // namespace coopvk::rewrite
