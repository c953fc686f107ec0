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

// "a + b". For conversions, `component` is that of the operand.
std::string glslExpression(GlslText& text, const Instruction& instruction, Component component,
                           const std::string& resultType, const std::vector<Argument>& operands);

// The same for types that GLSL's operators do not support: "fAdd(a, b)", with a function that is
// declared as the SPIR-V instruction with that number (GL_EXT_spirv_intrinsics).
std::string glslByNumber(GlslText& text, const Instruction& instruction, Component component,
                         const std::string& resultType, const std::vector<Argument>& operands);

}  // namespace coopvk::compare
