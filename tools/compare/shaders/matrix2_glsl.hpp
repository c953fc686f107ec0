// SPDX-License-Identifier: Apache-2.0
//
// Calls of GL_NV_cooperative_matrix2's functions, and the functions that they are given.
#pragma once

#include <string>

#include "compare/shaders/glsl_text.hpp"
#include "compare/shaders/matrix_program.hpp"

namespace coopvk::compare {

// Statements that set `result` from the matrix `a`; `type` is that of the components.
std::string reduceCall(GlslText& text, const Reduce& reduce, const std::string& type);
std::string perElementCall(GlslText& text, const std::string& type);

// Declares `tensor` and `view` in main; gives ", tensor, view" or ", tensor".
std::string tensorArguments(GlslText& text, const TensorAccess& access);
// Declares what decodes blocks; gives ", decode".
std::string decodeFunction(GlslText& text, const TensorAccess& access, const std::string& type);

}  // namespace coopvk::compare
