// SPDX-License-Identifier: Apache-2.0
//
// Lengths of native matrices: drivers know them, but not all as constants. Functions ask for them
// where the module had constants.
#pragma once

#include "native/function.hpp"

namespace coopvk::rewrite {

// The OpSpecConstantOp of each length of a matrix, and of what is computed from those, by its id.
using LengthConstants = std::map<Id, Instruction>;

// Takes lengths, and what is computed from them, out of the constants.
LengthConstants takeLengths(LoweringContext& context);

// The same lengths as values of one function.
class LengthValues {
 public:
    LengthValues(LoweringContext& context, const NativePlan& plan, const LengthConstants& constants)
        : context_(context), plan_(plan), constants_(constants) {}

    // Replaces former constants among the operands.
    void name(Instruction& instruction);
    // Puts what computes the values at the start of a function whose blocks are done.
    void finish(Function& function);

 private:
    Id value(Id constant);

    LoweringContext& context_;
    const NativePlan& plan_;
    const LengthConstants& constants_;
    std::map<Id, Id> values_;
    InstructionList prologue_;
};

}  // namespace coopvk::rewrite
