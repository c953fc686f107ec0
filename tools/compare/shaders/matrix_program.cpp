// SPDX-License-Identifier: Apache-2.0
#include "compare/shaders/matrix_program.hpp"

namespace coopvk::compare {

std::string_view nameOf(Use use) { return use == Use::kA ? "A" : use == Use::kB ? "B" : "C"; }

std::string nameOf(const MatrixType& type) {
    return std::string(nameOf(type.use)) + " " + std::to_string(type.rows) + "x" +
           std::to_string(type.columns) + " " + std::string(nameOf(type.component));
}

}  // namespace coopvk::compare
