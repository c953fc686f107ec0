// SPDX-License-Identifier: Apache-2.0
//
// Instructions on cooperative vectors beyond the arithmetic that matrices have, too. Bounds are
// those of Vulkan's table of precisions.
#include <algorithm>
#include <cmath>

#include "compare/cases/element_operations.hpp"

namespace coopvk::compare {
namespace {

using Values = std::vector<Real>;

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

bool isHalf(Component type) { return type == VK_COMPONENT_TYPE_FLOAT16_KHR; }

Real expTolerance(Component type, Real result, Real x) {
    return ((isHalf(type) ? 1 : 3) + 2 * std::fabs(x)) * ulp(type, result);
}

Real logTolerance(Component type, Real result, Real x) {
    if (x < 0.5L || x > 2) return 3 * ulp(type, result);
    return std::ldexp(Real{1}, isHalf(type) ? -7 : -21);
}

// sinh over cosh, each from two exponentials, a sum and a halving; divided with 2.5 ulps.
Real tanhTolerance(Component type, Real result, Real x) {
    const Real plus = std::exp(x), minus = std::exp(-x), cosh = std::cosh(x);
    const Real each =
        (expTolerance(type, plus, x) + expTolerance(type, minus, x)) / 2 + ulp(type, plus + minus);
    return each / cosh * (1 + std::fabs(result)) + 3 * ulp(type, result);
}

using DrawOperand = decltype(ElementOperation::draw);

ElementOperation rounded(std::string_view name, uint32_t operands, DrawOperand draw,
                         decltype(ElementOperation::tolerance) tolerance) {
    ElementOperation op = extended(name, operands);
    op.draw = std::move(draw);
    op.tolerance = std::move(tolerance);
    return op;
}

std::vector<ElementOperation> floatExtensions() {
    std::vector<ElementOperation> list = {extended("FMin", 2), extended("NMin", 2),
                                          extended("FMax", 2), extended("NMax", 2),
                                          extended("Step", 2)};
    for (const char* name : {"FClamp", "NClamp"}) list.push_back(rounded(name, 3, drawClamp, {}));
    list.push_back(rounded("Fma", 3, drawScaled(1),
                           [](Component t, Real, const Values& v) { return ulp(t, v[0] * v[1]); }));
    list.push_back(rounded("Exp", 1, drawScaled(4), [](Component t, Real r, const Values& v) {
        return expTolerance(t, r, v[0]);
    }));
    list.push_back(rounded("Log", 1, drawScaled(4, true), [](Component t, Real r, const Values& v) {
        return logTolerance(t, r, v[0]);
    }));
    list.push_back(rounded("Tanh", 1, drawScaled(4), [](Component t, Real r, const Values& v) {
        return tanhTolerance(t, r, v[0]);
    }));
    list.push_back(rounded("Atan", 1, drawScaled(4), [](Component t, Real r, const Values&) {
        return (isHalf(t) ? 5 : 4096) * ulp(t, r);
    }));
    return list;
}

std::vector<ElementOperation> integerExtensions(bool isSigned) {
    std::vector<ElementOperation> list = {extended(isSigned ? "SMin" : "UMin", 2),
                                          extended(isSigned ? "SMax" : "UMax", 2),
                                          rounded(isSigned ? "SClamp" : "UClamp", 3, drawClamp, {}),
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
