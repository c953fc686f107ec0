// SPDX-License-Identifier: Apache-2.0
//
// Instructions that compute each component of their operands alone or combine them, and the kinds
// of numbers that they take and give (SPIR-V specification, 3.52; GLSL.std.450).
#pragma once

#include <spirv/unified1/GLSL.std.450.h>

#include "ir/types.hpp"

namespace coopvk::rewrite {

// Types of many components: cooperative matrices and vectors, long vectors.

// The type of a component of such a type or of a vector; a scalar type itself; else 0.
Id componentOf(const Module& module, Id type);
// Whether a type has many components: a vector of core SPIR-V has four at most.
bool hasManyComponents(const Module& module, Id type);

// Whether an instruction of GLSL.std.450 computes each component alone, of operands that all have
// as many components as its result.
bool isComponentWise(GLSLstd450 instruction);

// Why an instruction cannot take its operands, or give its result; empty if it can, and for
// instructions that are not known or have no operand of many components.
std::string_view kindProblem(const Module& module, const Instruction& instruction);

// The instruction on floating-point numbers that means the same as one on integers; nullptr if
// there is none.
struct FloatForm {
    spv::Op ofIntegers, ofFloats;
    std::string_view integerName, floatName;
};
const FloatForm* floatForm(spv::Op opcode);
// Whether the result and all operands have components that are floating-point numbers.
bool isOfFloats(const Module& module, const Instruction& instruction);

}  // namespace coopvk::rewrite
