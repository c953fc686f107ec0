// SPDX-License-Identifier: Apache-2.0
//
// The lowering of instructions on native matrices. false: the instruction stays, perhaps changed in
// place.
#pragma once

#include "native/context.hpp"

namespace coopvk::rewrite {

// In memory; lowerNativeCopy is for OpCopyMemory.
bool lowerNativeLoad(NativeFunction& f, const Instruction& load);
bool lowerNativeStore(NativeFunction& f, const Instruction& store);
bool lowerNativeCopy(NativeFunction& f, const Instruction& copy);
bool lowerNativeUndef(NativeFunction& f, const Instruction& undef);

// Only the driver knows which elements, and how many, an invocation has.
bool lowerNativeLength(NativeFunction& f, const Instruction& length);
bool lowerNativeExtract(NativeFunction& f, const Instruction& extract);
bool lowerNativeInsert(NativeFunction& f, const Instruction& insert);
bool lowerNativeChain(NativeFunction& f, Instruction& chain);  // always in place

// Conversions of use, and between matrices and arrays, through shared memory. reserveStaging()
// reserves it for all of the module.
void reserveStaging(NativeContext& context);
void lowerNativeUse(NativeFunction& f, const Instruction& conversion);
void lowerConstructFromLines(NativeFunction& f, const Instruction& construct);
void lowerExtractLines(NativeFunction& f, const Instruction& extract);

// Lengths of native matrices: drivers know them, but not all support them in OpSpecConstantOp. By
// id: the OpSpecConstantOp of lengths, and of values computed from them.
using LengthConstants = std::map<Id, Instruction>;
// Removes these constants.
LengthConstants takeLengths(NativeContext& context);
// Computes those that a function uses at its start.
void readLengths(NativeContext& context, const LengthConstants& lengths, Function& function);

}  // namespace coopvk::rewrite
