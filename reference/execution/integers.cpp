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
constexpr auto quotient = [](int64_t a, int64_t b) -> int64_t {
    if (b == 0) return 0;
    return b == -1 ? int64_t(0 - uint64_t(a)) : a / b;
};
constexpr auto remainder = [](int64_t a, int64_t b) { return b == 0 || b == -1 ? 0 : a % b; };
// The sign of the second operand.
constexpr auto integerModulo = [](int64_t a, int64_t b) {
    const int64_t rest = remainder(a, b);
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
};

// "Result is undefined if Shift is greater than or equal to the bit width".
constexpr auto tooFar = [](uint32_t width, uint64_t, uint64_t by) {
    return by >= width ? "a shift by too many bits" : nullptr;
};

// A field that is not inside of the number is undefined.
constexpr auto outsideField = [](uint32_t width, uint64_t, uint64_t offset, uint64_t count) {
    const bool inside = offset <= width && count <= width && offset + count <= width;
    return inside ? nullptr : "a field outside of the number";
};
constexpr auto outsideInserted = [](uint32_t width, uint64_t base, uint64_t, uint64_t offset,
                                    uint64_t count) {
    return outsideField(width, base, offset, count);
};
constexpr uint64_t shifted(uint64_t bits, uint64_t by) { return by >= 64 ? 0 : bits << by; }
constexpr uint64_t fieldMask(uint64_t count) {
    return lowBits(uint32_t(std::min<uint64_t>(count, 64)));
}
constexpr auto insertField = [](uint64_t base, uint64_t insert, uint64_t offset, uint64_t count) {
    const uint64_t mask = shifted(fieldMask(count), offset);
    return (base & ~mask) | (shifted(insert, offset) & mask);
};
constexpr auto unsignedField = [](uint64_t base, uint64_t offset, uint64_t count) {
    return offset >= 64 ? 0 : (base >> offset) & fieldMask(count);
};
constexpr auto signedField = [](uint64_t base, uint64_t offset, uint64_t count) -> uint64_t {
    const uint64_t bits = unsignedField(base, offset, count);
    if (count == 0 || count >= 64) return bits;
    return uint64_t(signExtend(bits, uint32_t(count)));
};

// The result is a structure of two numbers, which op(a, b, width) gives.
struct Pair {
    uint64_t first = 0, second = 0;
};
template <auto kOp>
Step pairs(Subgroup& s, const Instruction& i) {
    const Value a = s.operand(i, 0), b = s.operand(i, 1), result = s.result(i);
    const uint32_t width = scalarOf(*a.type).width, count = a.components();
    for (uint32_t c = 0; c < count; ++c) {
        forLanes(s, [&](uint32_t lane) {
            const Pair pair = kOp(a.at(c, lane), b.at(c, lane), width);
            result.at(c, lane) = pair.first & lowBits(width);
            result.at(count + c, lane) = pair.second & lowBits(width);
        });
    }
    return Step::kNext;
}
constexpr auto addCarry = [](uint64_t a, uint64_t b, uint32_t width) {
    const uint64_t sum = (a + b) & lowBits(width);
    return Pair{sum, sum < a};
};
constexpr auto subtractBorrow = [](uint64_t a, uint64_t b, uint32_t) { return Pair{a - b, a < b}; };
constexpr Pair parts(numbers::Wide product, uint32_t width) {
    return {uint64_t(product), uint64_t(product >> width)};
}
constexpr auto unsignedProduct = [](uint64_t a, uint64_t b, uint32_t width) {
    return parts(numbers::Wide(a) * numbers::Wide(b), width);
};
constexpr auto signedProduct = [](uint64_t a, uint64_t b, uint32_t width) {
    return parts(numbers::Wide{signExtend(a, width)} * signExtend(b, width), width);
};

template <bool kAll>
Step reduce(Subgroup& s, const Instruction& i) {
    const Value from = s.operand(i, 0);
    return setLanes(s, i, [&](uint32_t lane) {
        uint32_t count = 0;
        for (uint32_t c = 0; c < from.components(); ++c) count += from.at(c, lane) != 0;
        return kAll ? count == from.components() : count > 0;
    });
}

constexpr auto clampInteger = [](auto a, auto low, auto high) {
    return std::min(std::max(a, low), high);
};

constexpr OpcodeRow kIntegerRows[] = {
    each(OpIAdd, onUnsigned<add>),
    each(OpISub, onUnsigned<subtract>),
    each(OpIMul, onUnsigned<multiply>),
    each(OpSNegate, onUnsigned<[](auto a) { return 0 - a; }>),
    each(OpUDiv, checked<byZero, onUnsigned<[](auto a, auto b) { return b == 0 ? 0 : a / b; }>>),
    each(OpUMod, checked<byZero, onUnsigned<[](auto a, auto b) { return b == 0 ? 0 : a % b; }>>),
    each(OpSDiv, checked<overflows, onSigned<quotient>>),
    each(OpSRem, checked<overflows, onSigned<remainder>>),
    each(OpSMod, checked<overflows, onSigned<integerModulo>>),
    row(OpIAddCarry, pairs<addCarry>, Defined::kAll),
    row(OpISubBorrow, pairs<subtractBorrow>, Defined::kAll),
    row(OpUMulExtended, pairs<unsignedProduct>, Defined::kAll),
    row(OpSMulExtended, pairs<signedProduct>, Defined::kAll),

    each(OpNot, onUnsigned<[](auto a) { return ~a; }>),
    each(OpBitwiseAnd, onUnsigned<bitAnd>),
    each(OpBitwiseOr, onUnsigned<bitOr>),
    each(OpBitwiseXor, onUnsigned<bitXor>),
    each(OpShiftLeftLogical, checked<tooFar, onBits<[](uint32_t width, uint64_t a, uint64_t b) {
                                         return b >= width ? 0 : a << b;
                                     }>>),
    each(OpShiftRightLogical, checked<tooFar, onBits<[](uint32_t width, uint64_t a, uint64_t b) {
                                          return b >= width ? 0 : a >> b;
                                      }>>),
    each(OpShiftRightArithmetic, checked<tooFar, onBits<[](uint32_t width, uint64_t a, uint64_t b) {
                                             return b >= width ? 0 : signExtend(a, width) >> b;
                                         }>>),
    each(OpBitFieldInsert, checked<outsideInserted, onUnsigned<insertField>>),
    each(OpBitFieldSExtract, checked<outsideField, onUnsigned<signedField>>),
    each(OpBitFieldUExtract, checked<outsideField, onUnsigned<unsignedField>>),
    each(OpBitReverse, onBits<[](uint32_t width, uint64_t bits) {
             uint64_t reversed = 0;
             for (uint32_t b = 0; b < width; ++b) reversed |= ((bits >> b) & 1) << (width - 1 - b);
             return reversed;
         }>),
    each(OpBitCount, onUnsigned<[](uint64_t bits) { return std::popcount(bits); }>),

    each(OpIEqual, onUnsigned<equal>),
    each(OpINotEqual, onUnsigned<notEqual>),
    each(OpULessThan, onUnsigned<less>),
    each(OpULessThanEqual, onUnsigned<lessEqual>),
    each(OpUGreaterThan, onUnsigned<greater>),
    each(OpUGreaterThanEqual, onUnsigned<greaterEqual>),
    each(OpSLessThan, onSigned<less>),
    each(OpSLessThanEqual, onSigned<lessEqual>),
    each(OpSGreaterThan, onSigned<greater>),
    each(OpSGreaterThanEqual, onSigned<greaterEqual>),
    each(OpLogicalEqual, onUnsigned<equal>),
    each(OpLogicalNotEqual, onUnsigned<notEqual>),
    each(OpLogicalAnd, onUnsigned<bitAnd>),
    each(OpLogicalOr, onUnsigned<bitOr>),
    each(OpLogicalNot, onUnsigned<[](auto a) { return a == 0; }>),
    row(OpAll, reduce<true>, Defined::kAll),
    row(OpAny, reduce<false>, Defined::kAll),

    each(GLSLstd450SAbs, onSigned<[](int64_t a) { return a < 0 ? 0 - uint64_t(a) : uint64_t(a); }>),
    each(GLSLstd450SSign, onSigned<[](int64_t a) { return a > 0   ? 1
                                                          : a < 0 ? -1
                                                                  : 0; }>),
    each(GLSLstd450UMin, onUnsigned<least>),
    each(GLSLstd450UMax, onUnsigned<most>),
    each(GLSLstd450SMin, onSigned<least>),
    each(GLSLstd450SMax, onSigned<most>),
    each(GLSLstd450UClamp, onUnsigned<clampInteger>),
    each(GLSLstd450SClamp, onSigned<clampInteger>),
    // Numbers of bits; -1 if there is none.
    each(GLSLstd450FindILsb,
         onUnsigned<[](uint64_t a) { return a == 0 ? -1 : std::countr_zero(a); }>),
    each(GLSLstd450FindUMsb, onUnsigned<[](uint64_t a) { return 63 - std::countl_zero(a); }>),
    each(GLSLstd450FindSMsb,
         onSigned<[](int64_t a) { return 63 - std::countl_zero(uint64_t(a < 0 ? ~a : a)); }>),
};

}  // namespace

Rows integerRows() { return kIntegerRows; }

}  // namespace coopvk::reference
