// SPDX-License-Identifier: Apache-2.0
//
// Proofs of programs that compute of known numbers what devices choose, or what is undefined. Those
// that are no proofs are attempts at false claims.
#include <gtest/gtest.h>

#include "symbol_pairs.hpp"

namespace coopvk::reference::known_values_proof_test {
namespace {

using numbers::Number;
using symbols_test::Pair;

// Known, but no constant for a compiler: a lane's number and 0.
#define ZERO "const uint z = min(gl_LocalInvocationIndex, 0); "
#define FLOAT(BITS) "uintBitsToFloat(" BITS " | z)"
#define IS_NAN "isnan(n) ? 1 : 0"

constexpr Pair kPairs[] = {
    // IEEE 754-2019, 6.2.3: which NaN an operation gives is not specified.
    {"a NaN of infinities", "u = 0xFFC00000;",
     ZERO
     "precise float n = " FLOAT("0x7F800000") " - " FLOAT("0x7F800000") "; u = floatBitsToUint(n);",
     false, Number::u32},
    {"a NaN that any device may give",
     ZERO
     "precise float n = " FLOAT("0x7F800000") " - " FLOAT("0x7F800000") "; u = floatBitsToUint(n);",
     "u = 0xFFC00000;", true, Number::u32},
    {"the payload of a NaN", "u = 0x7FC00123;",
     ZERO "precise float n = " FLOAT("0x7FC00123") " + 1.0; u = floatBitsToUint(n);", false,
     Number::u32},
    {"a rounded NaN", "u = 0x7FC00123;",
     ZERO "u = floatBitsToUint(floor(" FLOAT("0x7FC00123") "));", false, Number::u32},
    {"a packed NaN", "u = 0x7E00;", ZERO "u = packHalf2x16(vec2(" FLOAT("0x7FC00000") ", 0));",
     false, Number::u32},
    {"whether it is a NaN", "u = 1;",
     ZERO "precise float n = " FLOAT("0x7F800000") " - " FLOAT("0x7F800000") "; u = " IS_NAN ";",
     true, Number::u32},
    {"a NaN as a float", ZERO "f = " FLOAT("0x7F800000") " - " FLOAT("0x7F800000") ";",
     ZERO "f = " FLOAT("0x7F800000") " * " FLOAT("0") ";", true},
    {"a fraction of infinity", "f = 0;", ZERO "float w; f = modf(" FLOAT("0x7F800000") ", w);",
     false},
    {"a fraction", "f = 0.5;", ZERO "float w; f = modf(" FLOAT("0x40200000") ", w);", true},
    // GLSL.std.450, FMin: "Which operand is the result is undefined if one of the operands is a
    // NaN."
    {"the least of a NaN and 0", "f = 0;", ZERO "f = min(" FLOAT("0x7FC00000") ", 0.0);", false},
    {"the least of two numbers", "f = 0;", ZERO "f = min(" FLOAT("0x3F800000") ", 0.0);", true},
    // GLSL.std.450, Ldexp: "If exp is less than -126 (single precision) ..., the value returned may
    // be flushed to zero."
    {"a far exponent", "f = uintBitsToFloat(0x03800000);",
     ZERO "f = ldexp(" FLOAT("0x44800000") ", int(z) - 130);", false},
    {"an exponent", "f = 0.25;", ZERO "f = ldexp(" FLOAT("0x44800000") ", int(z) - 12);", true},
    // SPIR-V, OpUDiv: "Behavior is undefined if Operand 2 is 0." So it is where nothing reads it.
    {"a quotient by a known 0", "u = i;", ZERO "u = i; uint w = 5 / z;", false, Number::u32},
    {"a quotient by a known number", "u = i;", ZERO "u = i; uint w = 5 / (z + 1);", true,
     Number::u32},
    {"a quotient by a known 0 of both", ZERO "u = i; uint w = 5 / z;",
     ZERO "u = i; uint w = 5 / z;", true, Number::u32},
    {"the rest by 0 in a lane", "u = i;", "u = i; uint w = 7 % (gl_LocalInvocationIndex - 3);",
     false, Number::u32},
    {"the least number by -1", "u = i;", ZERO "u = i; int w = int(z | 0x80000000) / (int(z) - 1);",
     false, Number::u32},
    {"another number by -1", "u = i;", ZERO "u = i; int w = int(z | 0x80000001) / (int(z) - 1);",
     true, Number::u32},
    {"a float beyond integers", "u = i;", ZERO "u = i; int w = int(" FLOAT("0x4F000000") ");",
     false, Number::u32},
    {"the least integer", "u = i;", ZERO "u = i; int w = int(" FLOAT("0xCF000000") ");", true,
     Number::u32},
    // SPIR-V, OpGroupNonUniformFAdd: "The identity I for Operation is 0."
    {"a sum of negative zeros", "u = 0x80000000;",
     ZERO "u = floatBitsToUint(subgroupAdd(" FLOAT("0x80000000") "));", false, Number::u32},
    {"a sum of ones", "f = 4;", ZERO "f = subgroupAdd(" FLOAT("0x3F800000") ");", true},
    // What is not defined may be any number.
    {"an undefined float to an integer", "u = i;", "float w; u = i; uint v = uint(w);", false,
     Number::u32},
    {"a quotient by an undefined number", "u = i;",
     "u = i; uint v = 5 / bitfieldExtract(0xC0000000u, 30, 8);", false, Number::u32},
    {"a negative float", "u = i;", ZERO "u = i; uint w = uint(" FLOAT("0xC0A00000") ");", false,
     Number::u32},
};

class KnownValuesProofs : public testing::TestWithParam<Pair> {};

TEST_P(KnownValuesProofs, AreProvedOrNot) {
    const std::string why = symbols_test::whyNot(GetParam());
    EXPECT_EQ(why.empty(), GetParam().isProved) << GetParam().name << ": " << why;
}

INSTANTIATE_TEST_SUITE_P(All, KnownValuesProofs, testing::ValuesIn(kPairs),
                         [](const auto& of) { return symbols_test::wordOf(of.param.name); });

}  // namespace
}  // namespace coopvk::reference::known_values_proof_test
