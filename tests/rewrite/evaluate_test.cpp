// SPDX-License-Identifier: Apache-2.0
//
// What constant instructions give, by SPIR-V's text; and the halves nearest to numbers.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "ir/types.hpp"

namespace coopvk::rewrite::evaluate_test {
namespace {

using enum spv::Op;
using U = uint64_t;
using S = int64_t;

struct Row {
    spv::Op opcode;
    U (*ofUnsigned)(U a, U b);  // of numbers of the width
    U (*ofSigned)(S a, S b);    // in place of it
    bool divides = false, shifts = false;
};

// The sign of the result is that of b.
__extension__ using Wide = __int128;
S floored(S a, S b) { return S((Wide{a} % b + b) % b); }

constexpr Row kRows[] = {
    {OpIAdd, [](U a, U b) { return a + b; }, nullptr},
    {OpISub, [](U a, U b) { return a - b; }, nullptr},
    {OpIMul, [](U a, U b) { return a * b; }, nullptr},
    {OpUDiv, [](U a, U b) { return a / b; }, nullptr, true},
    {OpUMod, [](U a, U b) { return a % b; }, nullptr, true},
    {OpSDiv, nullptr, [](S a, S b) { return U(a / b); }, true},
    {OpSRem, nullptr, [](S a, S b) { return U(a % b); }, true},
    {OpSMod, nullptr, [](S a, S b) { return U(floored(a, b)); }, true},
    {OpShiftLeftLogical, [](U a, U b) { return a << b; }, nullptr, false, true},
    {OpShiftRightLogical, [](U a, U b) { return a >> b; }, nullptr, false, true},
    {OpShiftRightArithmetic, nullptr, [](S a, S b) { return U(a >> b); }, false, true},
    {OpBitwiseAnd, [](U a, U b) { return a & b; }, nullptr},
    {OpBitwiseOr, [](U a, U b) { return a | b; }, nullptr},
    {OpBitwiseXor, [](U a, U b) { return a ^ b; }, nullptr},
    {OpIEqual, [](U a, U b) { return U(a == b); }, nullptr},
    {OpINotEqual, [](U a, U b) { return U(a != b); }, nullptr},
    {OpULessThan, [](U a, U b) { return U(a < b); }, nullptr},
    {OpULessThanEqual, [](U a, U b) { return U(a <= b); }, nullptr},
    {OpUGreaterThan, [](U a, U b) { return U(a > b); }, nullptr},
    {OpUGreaterThanEqual, [](U a, U b) { return U(a >= b); }, nullptr},
    {OpSLessThan, nullptr, [](S a, S b) { return U(a < b); }},
    {OpSLessThanEqual, nullptr, [](S a, S b) { return U(a <= b); }},
    {OpSGreaterThan, nullptr, [](S a, S b) { return U(a > b); }},
    {OpSGreaterThanEqual, nullptr, [](S a, S b) { return U(a >= b); }},
    {OpSNegate, [](U a, U) { return 0 - a; }, nullptr},
    {OpNot, [](U a, U) { return ~a; }, nullptr},
    {OpUConvert, [](U a, U) { return a; }, nullptr},
    {OpSConvert, nullptr, [](S a, S) { return U(a); }},
};

TEST(Evaluate, IsWhatInstructionsGive) {
    for (const uint32_t width : {8u, 16u, 32u, 64u}) {
        const U top = U{1} << (width - 1), all = top | (top - 1);
        const U numbers[] = {0, 1, 2, 3, 7, top - 1, top, top + 1, all - 2, all - 1, all};
        const auto asSigned = [&](U bits) { return S(bits << (64 - width)) >> (64 - width); };
        for (const Row& row : kRows) {
            const bool isConversion = row.opcode == OpUConvert || row.opcode == OpSConvert;
            for (const U a : numbers) {
                for (const U b : numbers) {
                    const auto found = evaluate(row.opcode, {a, width}, Scalar{b, width});
                    ASSERT_TRUE(found);
                    // What SPIR-V leaves undefined is any number.
                    if (row.divides && (b == 0 || (row.ofSigned && a == top && b == all))) continue;
                    if (row.shifts && b >= width) continue;
                    const U expected = row.ofSigned ? row.ofSigned(asSigned(a), asSigned(b))
                                                    : row.ofUnsigned(a, b);
                    const U mask = isConversion ? ~U{0} : all;
                    EXPECT_EQ(*found & mask, expected & mask)
                        << U(row.opcode) << " of " << width << " bits: " << a << ' ' << b;
                }
            }
        }
    }
    EXPECT_FALSE(evaluate(OpFAdd, {1, 32}, Scalar{1, 32}));
    EXPECT_FALSE(evaluate(OpIAdd, {1, 32}, std::nullopt));
    EXPECT_EQ(evaluate(OpLogicalNot, {1, 1}, std::nullopt), 0u);
    EXPECT_EQ(evaluate(OpLogicalNot, {0, 1}, std::nullopt), 1u);
}

// IEEE 754: 1 bit of sign, 5 of exponent, 10 of mantissa.
double valueOf(uint32_t half) {
    const int exponent = static_cast<int>(half >> 10 & 31);
    const double mantissa = half & 1023;
    return exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024 + mantissa, exponent - 25);
}

TEST(Float16Bits, AreThoseOfTheNearestHalf) {
    for (uint32_t half = 0; half < 0x7BFF; ++half) {
        const double value = valueOf(half), middle = (value + valueOf(half + 1)) / 2;
        const uint32_t even = half % 2 == 0 ? half : half + 1;
        for (const uint32_t sign : {0u, 0x8000u}) {
            const auto bits = [&](double x) { return float16Bits(sign != 0 ? -x : x); };
            ASSERT_EQ(bits(value), sign | half);
            ASSERT_EQ(bits(middle), sign | even) << half;
            ASSERT_EQ(bits(std::nextafter(middle, 0)), sign | half) << half;
            ASSERT_EQ(bits(std::nextafter(middle, 1e9)), sign | (half + 1)) << half;
        }
    }
    const double infinity = std::numeric_limits<double>::infinity();
    EXPECT_EQ(float16Bits(infinity), 0x7C00);
    EXPECT_EQ(float16Bits(-infinity), 0xFC00);
    EXPECT_EQ(float16Bits(std::nan("")) & 0x7C00, 0x7C00);
    EXPECT_NE(float16Bits(std::nan("")) & 0x3FF, 0);
}

}  // namespace
}  // namespace coopvk::rewrite::evaluate_test
