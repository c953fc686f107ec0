// SPDX-License-Identifier: Apache-2.0
#include "compare/shaders/program.hpp"

#include "compare/shaders/matrix_spirv.hpp"
#include "compare/shaders/vector_spirv.hpp"

namespace coopvk::compare {

std::string spirvOf(const Program& program) {
    const auto* matrix = std::get_if<MatrixProgram>(&program);
    return matrix ? matrixSpirv(*matrix) : vectorSpirv(std::get<VectorProgram>(program));
}

}  // namespace coopvk::compare
