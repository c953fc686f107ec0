// SPDX-License-Identifier: Apache-2.0
//
// Shaders over cooperative matrices in GLSL.
#pragma once

#include "compare/shaders/matrix_program.hpp"

namespace coopvk::compare {

std::string matrixGlsl(const MatrixProgram& program);
// What is in the program that GLSL has no words for; empty where it has all.
std::string matrixGlslLacks(const MatrixProgram& program);

}  // namespace coopvk::compare
