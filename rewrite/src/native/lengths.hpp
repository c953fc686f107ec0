// SPDX-License-Identifier: Apache-2.0
//
// Lengths of native matrices: drivers know them, but not all as constants. Functions ask for them
// where the module had constants.
#pragma once

#include "native/function.hpp"

namespace coopvk::rewrite {

// Matrix type by the id of what was its length as a constant.
using LengthConstants = std::map<Id, Id>;

// Takes the lengths of matrices out of the constants.
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
    LoweringContext& context_;
    const NativePlan& plan_;
    const LengthConstants& constants_;
    std::map<Id, Id> values_;
    InstructionList prologue_;
};

}  // namespace coopvk::rewrite
