// SPDX-License-Identifier: Apache-2.0
#include "compare/shaders/program.hpp"

#include "compare/shaders/matrix_glsl.hpp"
#include "compare/shaders/matrix_spirv.hpp"
#include "compare/shaders/vector_glsl.hpp"
#include "compare/shaders/vector_spirv.hpp"

namespace coopvk::compare {

std::string spirvOf(const Program& program) {
    if (const auto* matrix = std::get_if<MatrixProgram>(&program)) return matrixSpirv(*matrix);
    if (const auto* vector = std::get_if<VectorProgram>(&program)) return vectorSpirv(*vector);
    return {};
}

std::string glslLacks(const Program& program) {
    const auto* matrix = std::get_if<MatrixProgram>(&program);
    return matrix ? matrixGlslLacks(*matrix) : "";
}

std::string glslOf(const Program& program) {
    if (!glslLacks(program).empty()) return {};
    if (const auto* matrix = std::get_if<MatrixProgram>(&program)) return matrixGlsl(*matrix);
    if (const auto* vector = std::get_if<VectorProgram>(&program)) return vectorGlsl(*vector);
    return {};
}

}  // namespace coopvk::compare
