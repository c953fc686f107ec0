// SPDX-License-Identifier: Apache-2.0
//
// GLSL's expressions for single instructions.
#pragma once

#include "compare/shaders/glsl_text.hpp"
#include "compare/shaders/instruction.hpp"

namespace coopvk::compare {

// A matrix, vector or scalar.
struct Argument {
    std::string type, name;
};

// "a + b". Of conversions `component` is the operand's.
std::string glslExpression(GlslText& text, const Instruction& instruction, Component component,
                           const std::string& resultType, const std::vector<Argument>& operands);

// The same for types that GLSL's words do not take: "fAdd(a, b)", with a function that is declared
// as the instruction of that number in SPIR-V (GL_EXT_spirv_intrinsics).
std::string glslByNumber(GlslText& text, const Instruction& instruction, Component component,
                         const std::string& resultType, const std::vector<Argument>& operands);

}  // namespace coopvk::compare
