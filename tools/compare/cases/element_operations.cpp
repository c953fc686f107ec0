// SPDX-License-Identifier: Apache-2.0
#include "compare/cases/element_operations.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace coopvk::compare {
namespace {

Matrix drawAny(Rng& rng, Component type, uint32_t rows, uint32_t columns, uint32_t) {
    return randomMatrix(rng, type, rows, columns, Fill::kRandom);
}

// Divisors are from 1 to 100: neither zero nor -1.
Matrix drawDivision(Rng& rng, Component type, uint32_t rows, uint32_t columns, uint32_t operand) {
    if (operand == 0) return drawAny(rng, type, rows, columns, operand);
    return randomRange(rng, type, rows, columns, 1, 100);
}

constexpr double kFloatScalar = 1.5;
constexpr double kIntegerScalar = 3;

}  // namespace

ElementOperation elementOperation(std::string_view opcode, uint32_t operands) {
    ElementOperation operation;
    operation.opcode = opcode;
    operation.operands = operands;
    operation.draw = drawAny;
    return operation;
}

std::vector<ElementOperation> elementOperations(Component type) {
    const bool isFloat = info(type).isFloat(), isSigned = info(type).isSigned();
    const std::string_view divide = isFloat ? "OpFDiv" : isSigned ? "OpSDiv" : "OpUDiv";
    std::vector<ElementOperation> list = {
        elementOperation(isFloat ? "OpFNegate" : "OpSNegate", 1),
        elementOperation(isFloat ? "OpFAdd" : "OpIAdd", 2),
        elementOperation(isFloat ? "OpFSub" : "OpISub", 2),
        elementOperation(isFloat ? "OpFMul" : "OpIMul", 2),
        elementOperation(divide, 2),
        elementOperation("OpMatrixTimesScalar", 1),
    };
    list[3].inNvMatrix = false;
    if (isFloat) {
        list[4].isImprecise = true;
    } else {
        list[4].draw = drawDivision;
    }
    list[5].scalar = isFloat ? kFloatScalar : kIntegerScalar;
    return list;
}

std::string_view conversionOpcode(Component from, Component to) {
    const ComponentInfo& source = info(from);
    const ComponentInfo& target = info(to);
    if (from == to) return {};
    if (source.isFloat() && target.isFloat()) return "OpFConvert";
    if (source.isFloat()) return target.isSigned() ? "OpConvertFToS" : "OpConvertFToU";
    if (target.isFloat()) return source.isSigned() ? "OpConvertSToF" : "OpConvertUToF";
    if (source.bits == target.bits) return {};  // a bit cast
    if (source.isSigned()) return target.isSigned() ? "OpSConvert" : "";
    return target.isSigned() ? "" : "OpUConvert";
}

std::vector<Instruction> conversions(Component from, Component to) {
    const std::string_view opcode = conversionOpcode(from, to);
    if (opcode.empty()) return {};
    std::vector<Instruction> all = {{opcode}};
    if (info(to).isFloat() && info(to).bits == 8) all.push_back({opcode, false, 0, true});
    return all;
}

namespace {

// NaN and infinity, or any bits of a format without arithmetic.
uint64_t special(Rng& rng, Component type) {
    const ComponentInfo& c = info(type);
    if (!hasArithmetic(type) && rng.coin()) return maskBits(rng.next(), c.bits);
    const Real infinity = std::numeric_limits<Real>::infinity();
    if (rng.coin()) return encode(type, rng.coin() ? -infinity : infinity);
    return maskBits(~0ull, c.bits);
}

}  // namespace

Matrix drawForConversion(Rng& rng, Component from, Component to, uint32_t rows, uint32_t columns) {
    const ComponentInfo& source = info(from);
    const ComponentInfo& target = info(to);
    if (!source.isFloat()) {
        Matrix matrix = randomMatrix(rng, from, rows, columns, Fill::kRandom);
        if (to == VK_COMPONENT_TYPE_FLOAT32_KHR || to == VK_COMPONENT_TYPE_FLOAT64_KHR ||
            !target.isFloat()) {
            return matrix;
        }
        // Values that f16 can hold; for 8-bit floats a few are too large.
        const bool isToByte = target.bits == 8;
        const auto limit = isToByte ? static_cast<int64_t>(1.25L * largest(to)) : int64_t{60000};
        const auto low = static_cast<int64_t>(std::max(lowest(from), Wide{-limit}));
        const auto high = static_cast<int64_t>(std::min(highest(from), Wide{limit}));
        for (uint64_t& element : matrix.elements)
            element = maskBits(static_cast<uint64_t>(rng.range(low, high)), source.bits);
        return matrix;
    }
    Matrix matrix(from, rows, columns);
    Real limit =
        target.isFloat() ? 1000 : std::min<Real>(0.99L * static_cast<Real>(highest(to)), 60000);
    if (target.isFloat() && target.bits == 8) limit = 1.25L * largest(to);
    limit = std::min(limit, largest(from));
    // In a format with few bits, a value just below it would be rounded up.
    if (!hasArithmetic(from)) limit = roundDown(from, limit);
    const bool positive = !target.isFloat() && !target.isSigned();
    const bool isToFormat = target.isFloat() && !hasArithmetic(to);
    const bool hasSpecial = isToFormat || (target.isFloat() && !hasArithmetic(from));
    for (uint64_t& element : matrix.elements) {
        Real magnitude = limit * static_cast<Real>(rng.unit());
        if (isToFormat) magnitude = std::ldexp(magnitude, static_cast<int>(rng.range(-24, 0)));
        element = encode(from, !positive && rng.coin() ? -magnitude : magnitude);
        if (hasSpecial && rng.range(0, 3) == 0) element = special(rng, from);
    }
    return matrix;
}

}  // namespace coopvk::compare
