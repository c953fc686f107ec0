// SPDX-License-Identifier: Apache-2.0
//
// Calls of GL_NV_cooperative_matrix2's functions, and the functions that they take as arguments.
#pragma once

#include <string>

#include "compare/shaders/glsl_text.hpp"
#include "compare/shaders/matrix_program.hpp"

namespace coopvk::compare {

// A component, and its name.
struct ComponentName {
    Component component;
    std::string type;
};

// Statements that set `result` from the matrix `a`.
std::string reduceCall(GlslText& text, const Reduce& reduce, const ComponentName& of);
std::string perElementCall(GlslText& text, const ComponentName& of);

// Declares `tensor` and `view` in main; gives ", tensor, view" or ", tensor".
std::string tensorArguments(GlslText& text, const TensorAccess& access);
// Declares the function that decodes blocks; returns ", decode".
std::string decodeFunction(GlslText& text, const TensorAccess& access, const ComponentName& of);

}  // namespace coopvk::compare
