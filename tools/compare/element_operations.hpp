// SPDX-License-Identifier: Apache-2.0
//
// Instructions that work element by element, on matrices and vectors alike: what they are, fit
// operands, and what they give.
#pragma once

#include <functional>
#include <string>

#include "reference.hpp"

namespace coopvk::compare {

struct ElementOperation {
    std::string_view opcode;
    uint32_t operands = 1;   // matrices or vectors
    double scalar = 0;       // one more operand, a scalar, where it is not 0
    bool inNvMatrix = true;  // VK_NV_cooperative_matrix has it
    bool extended = false;   // of GLSL.std.450
    std::function<Matrix(Rng& rng, Component type, uint32_t rows, uint32_t columns,
                         uint32_t operand)>
        draw;
    std::function<Expected(Component type, const std::vector<uint64_t>& in)> expected;
};

// Arithmetic of matrices with components of a type.
std::vector<ElementOperation> elementOperations(Component type);
// All instructions for vectors with components of a type.
std::vector<ElementOperation> vectorOperations(Component type);
uint64_t scalarBits(Component type, const ElementOperation& operation);

// Empty where one instruction does not do it.
std::string conversionOpcode(Component from, Component to);
// Values that the target can hold.
Matrix drawForConversion(Rng& rng, Component from, Component to, uint32_t rows, uint32_t columns);

}  // namespace coopvk::compare
