// SPDX-License-Identifier: Apache-2.0
//
// Instructions on cooperative vectors beyond the arithmetic that matrices have, too.
#include <algorithm>
#include <cmath>

#include "compare/cases/element_operations.hpp"

namespace coopvk::compare {
namespace {

// Floats of magnitudes from 1/4 to 1, scaled; or only positive ones.
auto drawScaled(Real factor, bool positive = false) {
    return [=](Rng& rng, Component type, uint32_t rows, uint32_t columns, uint32_t) {
        Matrix matrix = randomMatrix(rng, type, rows, columns, Fill::kRandom);
        for (uint64_t& element : matrix.elements) {
            const Real value = decode(type, element) * factor;
            element = encode(type, positive ? std::fabs(value) : value);
        }
        return matrix;
    };
}

// Clamps: the second operand is below the third.
Matrix drawClamp(Rng& rng, Component type, uint32_t rows, uint32_t columns, uint32_t operand) {
    if (operand == 0) return randomMatrix(rng, type, rows, columns, Fill::kRandom);
    if (info(type).isFloat()) {
        Matrix matrix = drawScaled(0.5L, true)(rng, type, rows, columns, operand);
        if (operand == 1)
            for (uint64_t& element : matrix.elements)
                element = encode(type, -decode(type, element));
        return matrix;
    }
    return operand == 1 ? randomRange(rng, type, rows, columns, 0, 50)
                        : randomRange(rng, type, rows, columns, 50, 100);
}

Matrix drawShift(Rng& rng, Component type, uint32_t rows, uint32_t columns, uint32_t operand) {
    if (operand == 0) return randomMatrix(rng, type, rows, columns, Fill::kRandom);
    return randomRange(rng, type, rows, columns, 0, info(type).bits - 1);
}

ElementOperation extended(std::string_view name, uint32_t operands) {
    ElementOperation op = elementOperation(name, operands);
    op.extended = true;
    return op;
}

using DrawOperand = decltype(ElementOperation::draw);

ElementOperation drawn(std::string_view name, uint32_t operands, DrawOperand draw,
                       bool isImprecise = false) {
    ElementOperation op = extended(name, operands);
    op.draw = std::move(draw);
    op.isImprecise = isImprecise;
    return op;
}

std::vector<ElementOperation> floatExtensions() {
    std::vector<ElementOperation> list = {extended("FMin", 2), extended("NMin", 2),
                                          extended("FMax", 2), extended("NMax", 2),
                                          extended("Step", 2)};
    for (const char* name : {"FClamp", "NClamp"}) list.push_back(drawn(name, 3, drawClamp));
    list.push_back(drawn("Fma", 3, drawScaled(1), true));
    list.push_back(drawn("Exp", 1, drawScaled(4), true));
    list.push_back(drawn("Log", 1, drawScaled(4, true), true));
    list.push_back(drawn("Tanh", 1, drawScaled(4), true));
    list.push_back(drawn("Atan", 1, drawScaled(4), true));
    return list;
}

std::vector<ElementOperation> integerExtensions(bool isSigned) {
    std::vector<ElementOperation> list = {extended(isSigned ? "SMin" : "UMin", 2),
                                          extended(isSigned ? "SMax" : "UMax", 2),
                                          drawn(isSigned ? "SClamp" : "UClamp", 3, drawClamp),
                                          elementOperation("OpBitwiseAnd", 2),
                                          elementOperation("OpBitwiseOr", 2),
                                          elementOperation("OpBitwiseXor", 2),
                                          elementOperation("OpNot", 1)};
    for (const char* name : {"OpShiftLeftLogical", "OpShiftRightLogical", "OpShiftRightArithmetic"})
        list.push_back(elementOperation(name, 2)), list.back().draw = drawShift;
    return list;
}

}  // namespace

std::vector<ElementOperation> vectorOperations(Component type) {
    std::vector<ElementOperation> list = elementOperations(type);
    if (info(type).isFloat()) {
        list.back().opcode = "OpVectorTimesScalar";
        std::ranges::move(floatExtensions(), std::back_inserter(list));
        return list;
    }
    list.pop_back();  // times scalar is for floats
    std::ranges::move(integerExtensions(info(type).isSigned()), std::back_inserter(list));
    return list;
}

}  // namespace coopvk::compare
