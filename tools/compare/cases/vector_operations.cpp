// SPDX-License-Identifier: Apache-2.0
//
// Instructions on cooperative vectors beyond the arithmetic that matrices have, too. Bounds are
// those of Vulkan's table of precisions.
#include <algorithm>
#include <cmath>

#include "compare/cases/element_operations.hpp"

namespace coopvk::compare {
namespace {

using Inputs = std::vector<uint64_t>;
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

// `tolerance` may look at the exact result and the inputs.
template <typename Function, typename Tolerance>
ElementOperation extended(std::string_view name, uint32_t operands, Function function,
                          Tolerance tolerance) {
    ElementOperation op;
    op.opcode = name;
    op.operands = operands;
    op.extended = true;
    op.draw = drawScaled(1);
    op.expected = [=](Component type, const Inputs& in) {
        Values values;
        for (const uint64_t bits : in) values.push_back(decode(type, bits));
        const Real exact = function(values);
        return within(type, exact, tolerance(type, exact, values));
    };
    return op;
}

template <typename Function>
ElementOperation exact(std::string_view name, uint32_t operands, Function function) {
    return extended(name, operands, function,
                    [](Component, Real, const Values&) { return Real{0}; });
}

template <typename Function>
ElementOperation integers(std::string_view name, uint32_t operands, bool isExtended,
                          Function function) {
    ElementOperation op;
    op.opcode = name;
    op.operands = operands;
    op.extended = isExtended;
    op.draw = [](Rng& rng, Component type, uint32_t rows, uint32_t columns, uint32_t) {
        return randomMatrix(rng, type, rows, columns, Fill::kRandom);
    };
    op.expected = [function](Component type, const Inputs& in) {
        std::vector<Wide> values;
        for (const uint64_t bits : in) values.push_back(toInteger(type, bits));
        return exactly(type, maskBits(static_cast<uint64_t>(function(values)), info(type).bits));
    };
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

std::vector<ElementOperation> floatExtensions() {
    std::vector<ElementOperation> list = {
        exact("FMin", 2, [](const Values& v) { return std::min(v[0], v[1]); }),
        exact("NMin", 2, [](const Values& v) { return std::min(v[0], v[1]); }),
        exact("FMax", 2, [](const Values& v) { return std::max(v[0], v[1]); }),
        exact("NMax", 2, [](const Values& v) { return std::max(v[0], v[1]); }),
        exact("Step", 2, [](const Values& v) { return v[1] < v[0] ? Real{0} : Real{1}; }),
        exact("FClamp", 3, [](const Values& v) { return std::clamp(v[0], v[1], v[2]); }),
        exact("NClamp", 3, [](const Values& v) { return std::clamp(v[0], v[1], v[2]); }),
        extended(
            "Fma", 3, [](const Values& v) { return v[0] * v[1] + v[2]; },
            [](Component t, Real, const Values& v) { return ulp(t, v[0] * v[1]); }),
        extended(
            "Exp", 1, [](const Values& v) { return std::exp(v[0]); },
            [](Component t, Real r, const Values& v) { return expTolerance(t, r, v[0]); }),
        extended(
            "Log", 1, [](const Values& v) { return std::log(v[0]); },
            [](Component t, Real r, const Values& v) { return logTolerance(t, r, v[0]); }),
        extended(
            "Tanh", 1, [](const Values& v) { return std::tanh(v[0]); },
            [](Component t, Real r, const Values& v) { return tanhTolerance(t, r, v[0]); }),
        extended(
            "Atan", 1, [](const Values& v) { return std::atan(v[0]); },
            [](Component t, Real r, const Values&) { return (isHalf(t) ? 5 : 4096) * ulp(t, r); }),
    };
    for (ElementOperation& op : list) {
        if (op.opcode == "FClamp" || op.opcode == "NClamp") op.draw = drawClamp;
        if (op.opcode == "Exp" || op.opcode == "Tanh" || op.opcode == "Atan")
            op.draw = drawScaled(4);
        if (op.opcode == "Log") op.draw = drawScaled(4, true);
    }
    return list;
}

using Integers = std::vector<Wide>;

std::vector<ElementOperation> integerExtensions(bool isSigned) {
    std::vector<ElementOperation> list = {
        integers(isSigned ? "SMin" : "UMin", 2, true,
                 [](const Integers& v) { return std::min(v[0], v[1]); }),
        integers(isSigned ? "SMax" : "UMax", 2, true,
                 [](const Integers& v) { return std::max(v[0], v[1]); }),
        integers(isSigned ? "SClamp" : "UClamp", 3, true,
                 [](const Integers& v) { return std::clamp(v[0], v[1], v[2]); }),
        integers("OpBitwiseAnd", 2, false, [](const Integers& v) { return v[0] & v[1]; }),
        integers("OpBitwiseOr", 2, false, [](const Integers& v) { return v[0] | v[1]; }),
        integers("OpBitwiseXor", 2, false, [](const Integers& v) { return v[0] ^ v[1]; }),
        integers("OpNot", 1, false, [](const Integers& v) { return ~v[0]; }),
        integers("OpShiftLeftLogical", 2, false,
                 [](const Integers& v) { return v[0] << static_cast<int>(v[1]); }),
    };
    list[2].draw = drawClamp;
    list.back().draw = drawShift;
    return list;
}

// Right shifts look at the bits, whatever the type's signedness is.
ElementOperation rightShift(std::string_view opcode, bool arithmetic) {
    ElementOperation op;
    op.opcode = opcode;
    op.operands = 2;
    op.draw = drawShift;
    op.expected = [arithmetic](Component type, const Inputs& in) {
        const uint32_t bits = info(type).bits;
        Wide value = static_cast<Wide>(maskBits(in[0], bits));
        if (arithmetic && (in[0] >> (bits - 1) & 1)) value -= Wide{1} << bits;
        return exactly(type,
                       maskBits(static_cast<uint64_t>(value >> static_cast<int>(in[1])), bits));
    };
    return op;
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
    list.push_back(rightShift("OpShiftRightLogical", false));
    list.push_back(rightShift("OpShiftRightArithmetic", true));
    return list;
}

}  // namespace coopvk::compare
