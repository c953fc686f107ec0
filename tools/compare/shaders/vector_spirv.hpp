// SPDX-License-Identifier: Apache-2.0
//
// Shaders over cooperative vectors as SPIR-V text.
#pragma once

#include <string>

#include "compare/shaders/vector_program.hpp"

namespace coopvk::compare {

std::string vectorSpirv(const VectorProgram& program);

}  // namespace coopvk::compare
