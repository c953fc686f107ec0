// SPDX-License-Identifier: Apache-2.0
//
// Shaders over cooperative matrices as SPIR-V text.
#pragma once

#include "compare/shaders/matrix_program.hpp"

namespace coopvk::compare {

std::string matrixSpirv(const MatrixProgram& program);

}  // namespace coopvk::compare
