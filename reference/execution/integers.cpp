// SPDX-License-Identifier: Apache-2.0
//
// Integers and booleans: arithmetic (SPIR-V, 3.52.13), bits (3.52.14), comparisons (3.52.15), and
// what GLSL.std.450 adds. Results that nothing defines are 0 here.
#include "execution/opcode_table.hpp"

namespace coopvk::reference {
namespace {

using namespace operations;

// Divisors that are 0, and the quotient that does not fit: undefined (OpUDiv, OpSDiv, ...).
constexpr auto byZero = [](uint32_t, uint64_t, uint64_t b) {
    return b == 0 ? "a division by 0" : nullptr;
};
constexpr auto overflows = [](uint32_t width, uint64_t a, uint64_t b) {
    if (b == lowBits(width) && a == uint64_t{1} << (width - 1))
        return "a division of the lowest number by -1";
    return b == 0 ? "a division by 0" : nullptr;
};
// Undefined in Vulkan (appendix "Vulkan Environment for SPIR-V"); GPUs give other results.
constexpr auto hasNegative = [](uint32_t width, uint64_t a, uint64_t b) -> const char* {
    if (signExtend(a, width) < 0 || signExtend(b, width) < 0)
        return "a remainder of a negative number";
    return b == 0 ? "a division by 0" : nullptr;
};
constexpr auto quotient = [](int64_t a, int64_t b) -> int64_t {
    if (b == 0) return 0;
    return b == -1 ? int64_t(0 - uint64_t(a)) : a / b;
};
constexpr auto remainder = [](int64_t a, int64_t b) { return b == 0 || b == -1 ? 0 : a % b; };
// With VK_KHR_maintenance8 as SPIR-V says: undefined only where the quotient does not fit.
template <auto kFunction>
void checkedRemainder(Subgroup& s) {
    if (s.program->definesRemainders) return checked<overflows, kFunction>(s);
    checked<hasNegative, kFunction>(s);
}
// The sign of the second operand.
constexpr auto integerModulo = [](int64_t a, int64_t b) {
    const int64_t rest = remainder(a, b);
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
};

// "Result is undefined if Shift is greater than or equal to the bit width".
constexpr auto tooFar = [](uint32_t width, uint64_t, uint64_t by) {
    return by >= width ? "a shift by too many bits" : nullptr;
};
constexpr auto left = [](uint64_t a, uint64_t by) { return by >= 64 ? 0 : a << by; };
constexpr auto right = [](uint64_t a, uint64_t by) { return by >= 64 ? 0 : a >> by; };
// The second operand may have another width.
void shiftSigned(Subgroup& s) {
    const uint32_t width = scalarOf(s.type()).width;
    mapComponents<2>(s, [&](uint64_t a, uint64_t by) {
        return by >= width ? 0 : uint64_t(signExtend(a, width) >> by) & lowBits(width);
    });
}

// A field that is not inside of the number is undefined.
constexpr auto outsideField = [](uint32_t width, uint64_t, uint64_t offset, uint64_t count) {
    const bool inside = offset <= width && count <= width && offset + count <= width;
    return inside ? nullptr : "a field outside of the number";
};
constexpr auto outsideInserted = [](uint32_t width, uint64_t base, uint64_t, uint64_t offset,
                                    uint64_t count) {
    return outsideField(width, base, offset, count);
};
constexpr uint64_t fieldMask(uint64_t count) {
    return lowBits(uint32_t(std::min<uint64_t>(count, 64)));
}
constexpr auto insertField = [](uint64_t base, uint64_t insert, uint64_t offset, uint64_t count) {
    const uint64_t mask = left(fieldMask(count), offset);
    return (base & ~mask) | (left(insert, offset) & mask);
};
constexpr auto unsignedField = [](uint64_t base, uint64_t offset, uint64_t count) {
    return right(base, offset) & fieldMask(count);
};
constexpr auto signedField = [](uint64_t base, uint64_t offset, uint64_t count) -> uint64_t {
    const uint64_t mask = fieldMask(count), sign = mask ^ mask >> 1;
    return (unsignedField(base, offset, count) ^ sign) - sign;
};

// The result is a structure of two numbers, which op(a, b, width) gives.
struct Pair {
    uint64_t first = 0, second = 0;
};
template <auto kOp>
void pairs(Subgroup& s, Out result, In a, In b) {
    const uint32_t width = scalarOf(*a.type).width, count = a.components();
    for (uint32_t c = 0; c < count; ++c) {
        forLanes(s, [&](uint32_t lane) {
            const Pair pair = kOp(a.at(c, lane), b.at(c, lane), width);
            result.at(c, lane) = pair.first & lowBits(width);
            result.at(count + c, lane) = pair.second & lowBits(width);
        });
    }
}
constexpr auto addCarry = [](uint64_t a, uint64_t b, uint32_t width) {
    const uint64_t sum = (a + b) & lowBits(width);
    return Pair{sum, sum < a};
};
constexpr auto subtractBorrow = [](uint64_t a, uint64_t b, uint32_t) { return Pair{a - b, a < b}; };
constexpr Pair parts(numbers::UnsignedWide product, uint32_t width) {
    return {uint64_t(product), uint64_t(product >> width)};
}
constexpr auto unsignedProduct = [](uint64_t a, uint64_t b, uint32_t width) {
    return parts(numbers::UnsignedWide(a) * b, width);
};
constexpr auto signedProduct = [](uint64_t a, uint64_t b, uint32_t width) {
    const numbers::Wide product = numbers::Wide{signExtend(a, width)} * signExtend(b, width);
    return parts(numbers::UnsignedWide(product), width);
};

void reverseBits(Subgroup& s) {
    const uint32_t width = scalarOf(s.type()).width;
    mapComponents<1>(s, [&](uint64_t bits) {
        uint64_t reversed = 0;
        for (uint32_t b = 0; b < width; ++b) reversed = reversed << 1 | (bits >> b & 1);
        return reversed;
    });
}

template <bool kAll>
void reduce(Subgroup& s, In from) {
    setLanes(s, [&](uint32_t lane) {
        uint32_t count = 0;
        for (uint32_t c = 0; c < from.components(); ++c) count += from.at(c, lane) != 0;
        return kAll ? count == from.components() : count > 0;
    });
}

// GLSL.std.450, UClamp, SClamp: "Result is undefined if minVal > maxVal".
constexpr auto limits = [](uint32_t, uint64_t, uint64_t low, uint64_t high) {
    return low > high ? "a clamp whose lowest number is above its highest" : nullptr;
};
constexpr auto signedLimits = [](uint32_t width, uint64_t, uint64_t low, uint64_t high) {
    const bool isAbove = signExtend(low, width) > signExtend(high, width);
    return isAbove ? "a clamp whose lowest number is above its highest" : nullptr;
};
constexpr auto clampInteger = [](auto a, auto low, auto high) {
    return std::min(std::max(a, low), high);
};

constexpr OpcodeRow kIntegerRows[] = {
    each<onUnsigned<add>>(OpIAdd),
    each<onUnsigned<subtract>>(OpISub),
    each<onUnsigned<multiply>>(OpIMul),
    each<onUnsigned<[](auto a) { return 0 - a; }>>(OpSNegate),
    each<checked<byZero, onUnsigned<[](auto a, auto b) { return b == 0 ? 0 : a / b; }>>>(OpUDiv),
    each<checked<byZero, onUnsigned<[](auto a, auto b) { return b == 0 ? 0 : a % b; }>>>(OpUMod),
    each<checked<overflows, onSigned<quotient>>>(OpSDiv),
    each<checkedRemainder<onSigned<remainder>>>(OpSRem),
    each<checkedRemainder<onSigned<integerModulo>>>(OpSMod),
    row<pairs<addCarry>>(OpIAddCarry, Defined::kAll),
    row<pairs<subtractBorrow>>(OpISubBorrow, Defined::kAll),
    row<pairs<unsignedProduct>>(OpUMulExtended, Defined::kAll),
    row<pairs<signedProduct>>(OpSMulExtended, Defined::kAll),

    each<onUnsigned<[](auto a) { return ~a; }>>(OpNot),
    each<onUnsigned<bitAnd>>(OpBitwiseAnd),
    each<onUnsigned<bitOr>>(OpBitwiseOr),
    each<onUnsigned<bitXor>>(OpBitwiseXor),
    each<checked<tooFar, onUnsigned<left>>>(OpShiftLeftLogical),
    each<checked<tooFar, onUnsigned<right>>>(OpShiftRightLogical),
    each<checked<tooFar, shiftSigned>>(OpShiftRightArithmetic),
    each<checked<outsideInserted, onUnsigned<insertField>>>(OpBitFieldInsert),
    each<checked<outsideField, onUnsigned<signedField>>>(OpBitFieldSExtract),
    each<checked<outsideField, onUnsigned<unsignedField>>>(OpBitFieldUExtract),
    each<reverseBits>(OpBitReverse),
    each<onUnsigned<[](uint64_t bits) { return std::popcount(bits); }>>(OpBitCount),

    each<onUnsigned<equal>>(OpIEqual),
    each<onUnsigned<notEqual>>(OpINotEqual),
    each<onUnsigned<less>>(OpULessThan),
    each<onUnsigned<lessEqual>>(OpULessThanEqual),
    each<onUnsigned<greater>>(OpUGreaterThan),
    each<onUnsigned<greaterEqual>>(OpUGreaterThanEqual),
    each<onSigned<less>>(OpSLessThan),
    each<onSigned<lessEqual>>(OpSLessThanEqual),
    each<onSigned<greater>>(OpSGreaterThan),
    each<onSigned<greaterEqual>>(OpSGreaterThanEqual),
    each<onUnsigned<equal>>(OpLogicalEqual),
    each<onUnsigned<notEqual>>(OpLogicalNotEqual),
    each<onUnsigned<bitAnd>>(OpLogicalAnd),
    each<onUnsigned<bitOr>>(OpLogicalOr),
    each<onUnsigned<[](auto a) { return a == 0; }>>(OpLogicalNot),
    row<reduce<true>>(OpAll, Defined::kAll),
    row<reduce<false>>(OpAny, Defined::kAll),

    each<onSigned<[](int64_t a) { return a < 0 ? 0 - uint64_t(a) : uint64_t(a); }>>(GLSLstd450SAbs),
    each<onSigned<[](int64_t a) { return (a > 0) - (a < 0); }>>(GLSLstd450SSign),
    each<onUnsigned<least>>(GLSLstd450UMin),
    each<onUnsigned<most>>(GLSLstd450UMax),
    each<onSigned<least>>(GLSLstd450SMin),
    each<onSigned<most>>(GLSLstd450SMax),
    each<checked<limits, onUnsigned<clampInteger>>>(GLSLstd450UClamp),
    each<checked<signedLimits, onSigned<clampInteger>>>(GLSLstd450SClamp),
    // Numbers of bits; -1 if there is none.
    each<onUnsigned<[](uint64_t a) { return a == 0 ? -1 : std::countr_zero(a); }>>(
        GLSLstd450FindILsb),
    each<onUnsigned<[](uint64_t a) { return 63 - std::countl_zero(a); }>>(GLSLstd450FindUMsb),
    each<onSigned<[](int64_t a) { return 63 - std::countl_zero(uint64_t(a < 0 ? ~a : a)); }>>(
        GLSLstd450FindSMsb),
};

}  // namespace

Rows integerRows() { return kIntegerRows; }

}  // namespace coopvk::reference
