// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "ir/types.hpp"

namespace coopvk::rewrite {

int64_t Scalar::asSigned() const {
    if (width == 64) return static_cast<int64_t>(bits);
    const uint64_t sign = uint64_t{1} << (width - 1);
    return static_cast<int64_t>((asUnsigned() ^ sign) - sign);
}

namespace {

using Unary = uint64_t (*)(Scalar);
using Binary = uint64_t (*)(Scalar, Scalar);

template <typename Operation>
uint64_t ofUnsigned(Scalar a, Scalar b) {
    return Operation()(a.asUnsigned(), b.asUnsigned());
}

template <typename Operation>
uint64_t ofSigned(Scalar a, Scalar b) {
    return Operation()(a.asSigned(), b.asSigned());
}

template <typename Operation>
uint64_t dividing(Scalar a, Scalar b) {
    return b.asUnsigned() == 0 ? 0 : ofUnsigned<Operation>(a, b);
}

uint64_t signedRemainder(Scalar a, Scalar b) {
    // C++ overflows for the smallest a and b == -1, where the remainder is 0 for any a.
    if (b.asSigned() == 0 || b.asSigned() == -1) return 0;
    return static_cast<uint64_t>(a.asSigned() % b.asSigned());
}

uint64_t signedModulo(Scalar a, Scalar b) {
    const auto remainder = static_cast<int64_t>(signedRemainder(a, b));
    if (remainder != 0 && (remainder < 0) != (b.asSigned() < 0)) {
        return static_cast<uint64_t>(remainder + b.asSigned());
    }
    return static_cast<uint64_t>(remainder);
}

uint64_t signedQuotient(Scalar a, Scalar b) {
    if (b.asSigned() == 0) return 0;
    if (b.asSigned() == -1) return uint64_t{0} - a.bits;
    return static_cast<uint64_t>(a.asSigned() / b.asSigned());
}

uint64_t shiftLeft(Scalar a, Scalar b) {
    return b.asUnsigned() >= a.width ? 0 : a.bits << b.asUnsigned();
}

uint64_t shiftRight(Scalar a, Scalar b) {
    return b.asUnsigned() >= a.width ? 0 : a.asUnsigned() >> b.asUnsigned();
}

uint64_t arithmeticShift(Scalar a, Scalar b) {
    const uint64_t by = b.asUnsigned();
    return by >= a.width ? 0 : static_cast<uint64_t>(a.asSigned() >> by);
}

constexpr std::pair<spv::Op, Binary> kBinary[] = {
    {OpIAdd, ofUnsigned<std::plus<>>},
    {OpISub, ofUnsigned<std::minus<>>},
    {OpIMul, ofUnsigned<std::multiplies<>>},
    {OpUDiv, dividing<std::divides<>>},
    {OpUMod, dividing<std::modulus<>>},
    {OpSDiv, signedQuotient},
    {OpSRem, signedRemainder},
    {OpSMod, signedModulo},
    {OpShiftLeftLogical, shiftLeft},
    {OpShiftRightLogical, shiftRight},
    {OpShiftRightArithmetic, arithmeticShift},
    {OpBitwiseAnd, ofUnsigned<std::bit_and<>>},
    {OpLogicalAnd, ofUnsigned<std::bit_and<>>},
    {OpBitwiseOr, ofUnsigned<std::bit_or<>>},
    {OpLogicalOr, ofUnsigned<std::bit_or<>>},
    {OpBitwiseXor, ofUnsigned<std::bit_xor<>>},
    {OpIEqual, ofUnsigned<std::equal_to<>>},
    {OpLogicalEqual, ofUnsigned<std::equal_to<>>},
    {OpINotEqual, ofUnsigned<std::not_equal_to<>>},
    {OpLogicalNotEqual, ofUnsigned<std::not_equal_to<>>},
    {OpULessThan, ofUnsigned<std::less<>>},
    {OpULessThanEqual, ofUnsigned<std::less_equal<>>},
    {OpUGreaterThan, ofUnsigned<std::greater<>>},
    {OpUGreaterThanEqual, ofUnsigned<std::greater_equal<>>},
    {OpSLessThan, ofSigned<std::less<>>},
    {OpSLessThanEqual, ofSigned<std::less_equal<>>},
    {OpSGreaterThan, ofSigned<std::greater<>>},
    {OpSGreaterThanEqual, ofSigned<std::greater_equal<>>},
};

constexpr std::pair<spv::Op, Unary> kUnary[] = {
    {OpSNegate, [](Scalar a) { return uint64_t{0} - a.bits; }},
    {OpNot, [](Scalar a) { return ~a.bits; }},
    {OpLogicalNot, [](Scalar a) { return a.bits ^ 1u; }},
    {OpUConvert, [](Scalar a) { return a.asUnsigned(); }},
    {OpSConvert, [](Scalar a) { return static_cast<uint64_t>(a.asSigned()); }},
};

template <typename Operation, size_t N>
Operation find(const std::pair<spv::Op, Operation> (&table)[N], spv::Op opcode) {
    const auto row = std::ranges::find(table, opcode, &std::pair<spv::Op, Operation>::first);
    return row == std::end(table) ? nullptr : row->second;
}

}  // namespace

std::optional<uint64_t> evaluate(spv::Op opcode, Scalar a, std::optional<Scalar> b) {
    if (const Unary unary = find(kUnary, opcode)) return unary(a);
    const Binary binary = find(kBinary, opcode);
    if (binary == nullptr || !b) return std::nullopt;
    return binary(a, *b);
}

uint16_t float16Bits(double value) {
    const uint16_t sign = std::signbit(value) ? 0x8000 : 0;
    const double magnitude = std::fabs(value);
    if (std::isnan(value)) return 0x7E00;
    if (magnitude >= 65520.0) return sign | 0x7C00;  // rounds to infinity
    int exponent = 0;
    std::frexp(magnitude, &exponent);
    // The unit in the last place is 2^(e-11) for normal numbers, 2^-24 for denormals.
    const int ulpExponent = magnitude == 0 ? -24 : std::max(exponent - 11, -24);
    const auto units = static_cast<uint32_t>(std::nearbyint(std::ldexp(magnitude, -ulpExponent)));
    if (ulpExponent == -24) return static_cast<uint16_t>(sign | units);
    // A carry out of the mantissa correctly increments the exponent.
    const auto biased = static_cast<uint32_t>(ulpExponent + 24) << 10;
    return static_cast<uint16_t>(sign | (biased + units));
}

}  // namespace coopvk::rewrite
