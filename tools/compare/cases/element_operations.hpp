// SPDX-License-Identifier: Apache-2.0
//
// Instructions that work element by element, on matrices and vectors: a list of them, suitable
// operands, and which of them have open precision.
#pragma once

#include <functional>
#include <string>

#include "compare/cases/plan.hpp"
#include "compare/shaders/instruction.hpp"

namespace coopvk::compare {

struct ElementOperation : Instruction {
    uint32_t operands = 1;   // matrices or vectors
    bool inNvMatrix = true;  // VK_NV_cooperative_matrix has it
    std::function<Matrix(Rng& rng, Component type, uint32_t rows, uint32_t columns,
                         uint32_t operand)>
        draw;
    // Vulkan, "Precision of Individual Operations", permits more than either rounding.
    bool isImprecise = false;
};
// With any operands.
ElementOperation elementOperation(std::string_view opcode, uint32_t operands);

// Arithmetic of matrices with components of a type.
std::vector<ElementOperation> elementOperations(Component type);
// All instructions for vectors with components of a type.
std::vector<ElementOperation> vectorOperations(Component type);

// Empty if no single instruction does it.
std::string_view conversionOpcode(Component from, Component to);
// That instruction; for conversions to 8-bit floats also with saturation.
std::vector<Instruction> conversions(Component from, Component to);
// Values that the target can hold; for bf16 and 8-bit floats also values that become infinity or
// NaN.
Matrix drawForConversion(Rng& rng, Component from, Component to, uint32_t rows, uint32_t columns);

}  // namespace coopvk::compare
