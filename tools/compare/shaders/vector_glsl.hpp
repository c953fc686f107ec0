// SPDX-License-Identifier: Apache-2.0
//
// Shaders over cooperative vectors in GLSL.
#pragma once

#include <string>

#include "compare/shaders/vector_program.hpp"

namespace coopvk::compare {

std::string vectorGlsl(const VectorProgram& program);

}  // namespace coopvk::compare
