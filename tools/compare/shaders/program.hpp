// SPDX-License-Identifier: Apache-2.0
//
// What a case's shader does, and the shader in two languages.
#pragma once

#include "compare/shaders/matrix_program.hpp"
#include "compare/shaders/vector_program.hpp"

namespace coopvk::compare {

// None if a case has no shader.
using Program = std::variant<std::monostate, MatrixProgram, VectorProgram>;

// Texts to assemble or to compile; empty without a shader. Both do the same with the same
// bindings, push constants and workgroups.
std::string spirvOf(const Program& program);
std::string glslOf(const Program& program);
// An instruction that GLSL cannot express; then there is no GLSL text. Empty if GLSL can express
// all.
std::string glslLacks(const Program& program);

}  // namespace coopvk::compare
