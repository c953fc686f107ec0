// SPDX-License-Identifier: Apache-2.0
//
// What a case's shader does, and the shader.
#pragma once

#include "compare/shaders/matrix_program.hpp"
#include "compare/shaders/vector_program.hpp"

namespace coopvk::compare {

using Program = std::variant<MatrixProgram, VectorProgram>;

// Text to assemble.
std::string spirvOf(const Program& program);

}  // namespace coopvk::compare
