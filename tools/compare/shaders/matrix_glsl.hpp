// SPDX-License-Identifier: Apache-2.0
//
// Shaders over cooperative matrices in GLSL.
#pragma once

#include "compare/shaders/matrix_program.hpp"

namespace coopvk::compare {

std::string matrixGlsl(const MatrixProgram& program);
// What the program contains that GLSL cannot express; empty if there is nothing.
std::string matrixGlslLacks(const MatrixProgram& program);

}  // namespace coopvk::compare
