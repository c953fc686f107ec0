// SPDX-License-Identifier: Apache-2.0
//
// Matrices hold 8-bit floats in another type, f16 (number.hpp). After this pass, instructions take
// f16 elements from such matrices, and put f16 elements into them:
//
//   %e = OpCompositeExtract %fp8 %m 0      %h = OpCompositeExtract %f16 %m 0
//                                          %e = the bits of %h as %fp8
//
// So do the functions that reductions, per-element operations and tensor loads call: for each there
// is a version with f16 parameters and results.
#pragma once

#include "lowering/context.hpp"

namespace coopvk::rewrite {

struct SmallFloatContext : LoweringContext {
    using LoweringContext::LoweringContext;

    std::map<Id, Id> heldValues;  // value of an 8-bit type -> the f16 of a matrix that it was

    // The 8-bit type of a matrix type's components; 0: it is no matrix of 8-bit floats.
    Id format(Id matrix) const;
    Id formatOf(Id value) const { return format(module.def(value).type); }
    bool isMatrix(Id type) const { return format(type) != 0; }

    // Refuses pointers to elements where they are neither loaded, stored nor copied.
    void checkKept(const Instruction& instruction) override;
};

using SmallFloatFunction = FunctionLowering<SmallFloatContext>;

// The pass. Specialization constants must be frozen.
std::optional<Error> holdSmallFloats(SmallFloatContext& context);

}  // namespace coopvk::rewrite
