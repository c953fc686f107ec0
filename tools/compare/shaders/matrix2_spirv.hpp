// SPDX-License-Identifier: Apache-2.0
//
// Operands and functions of VK_NV_cooperative_matrix2's instructions.
#pragma once

#include <string>

#include "compare/shaders/matrix_program.hpp"
#include "compare/shaders/module_text.hpp"

namespace coopvk::compare {

// For OpCooperativeMatrixConvertNV and TransposeNV, and for other conversions between uses; nothing
// for other instructions.
void addNv2Capability(ModuleText& text, std::string_view opcode, bool changesUse);
// What follows the matrix.
std::string reduceOperands(ModuleText& text, const Reduce& reduce, Component component);
std::string perElementOperands(ModuleText& text, Component component);

}  // namespace coopvk::compare
