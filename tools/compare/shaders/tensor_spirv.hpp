// SPDX-License-Identifier: Apache-2.0
//
// Tensor layouts and views, and functions that decode blocks.
#pragma once

#include "compare/shaders/matrix2_steps.hpp"
#include "compare/shaders/module_text.hpp"

namespace coopvk::compare {

// What follows the matrix: the layout, memory operands and tensor operands.
std::string tensorOperands(ModuleText& text, const TensorLoad& load, Component component,
                           const ModuleText::Array& from);
std::string tensorOperands(ModuleText& text, const TensorStore& store, const ModuleText::Array& to);

}  // namespace coopvk::compare
