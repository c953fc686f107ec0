// SPDX-License-Identifier: Apache-2.0
//
// Proofs by symbols: pairs of programs of which the second one may take the first one's place for
// all contents of memory, and attempts at false claims.
#include <gtest/gtest.h>

#include "symbol_pairs.hpp"

namespace coopvk::reference::symbols_test {
namespace {

using numbers::Number;

constexpr Pair kPairs[] = {
    {"same", "f = a * b + c;", "f = a * b + c;", true},
    {"commuted", "f = a * b + c;", "f = c + b * a;", true},
    {"contracted", "f = a * b + c;", "f = fma(a, b, c);", true},
    {"fma as two", "f = fma(a, b, c);", "f = a * b + c;", true},
    {"halves in a word", "u = uint(float16BitsToUint16(h));",
     "u = packFloat2x16(f16vec2(h, k)) & 0xFFFF;", true, Number::u32},
    {"bytes by shifts", "u = uint(uint8_t(i >> 8));", "u = (i << 16) >> 24;", true, Number::u32},
    {"sign by shifts", "u = uint(int(int8_t(i)));", "u = uint(int(i << 24) >> 24);", true,
     Number::u32},
    {"field", "u = bitfieldExtract(i, 4, 12);", "u = (i >> 4) & 0xFFF;", true, Number::u32},
    {"signed field", "u = uint(bitfieldExtract(int(i), 4, 12));", "u = uint((int(i) << 16) >> 20);",
     true, Number::u32},
    {"inserted field", "u = bitfieldInsert(i, j, 8, 8);",
     "u = (i & 0xFFFF00FF) | ((j & 0xFF) << 8);", true, Number::u32},
    {"integers in any order", "u = i * j + i * 3 - j;", "u = i * (j + 3) - j;", true, Number::u32},
    {"shift as a product", "u = (i + j) * 4;", "u = (i << 2) + (j << 2);", true, Number::u32},
    {"shuffled twice", "f = a;", "f = subgroupShuffleXor(subgroupShuffleXor(a, 1), 1);", true},
    {"exact and back", "g = h;", "g = float16_t(float(h));", true, Number::f16},
    {"maximum", "f = max(a, b);", "f = max(b, a);", true},
    {"bytes as floats", "f = float(i & 0xFF);",
     "f = uintBitsToFloat(0x4B000000 | (i & 0xFF)) - 8388608.0;", true},
    {"halves by integers", "p = float(h);",
     "const uint m = uint(float16BitsToUint16(h)) & 0x7FFF; const uint s = "
     "(uint(float16BitsToUint16(h)) & 0x8000) << 16;"
     "p = uintBitsToFloat(s | mix(floatBitsToUint(uintBitsToFloat(m << 13) * "
     "uintBitsToFloat(0x77800000)), 0x7F800000 | (m << 13), (m >> 10) == 31));",
     true},
    {"chosen twice", "f = mix(d, c, a < b);", "f = mix(d, mix(a, c, a < b), a < b);", true},

    // Whatever a function gives outside of its domain, it gives to both.
    {"root of negatives", "p = sqrt(-1.0 - abs(a));", "p = sqrt(-1.0 - abs(a));", true},

    // False claims.
    {"sum and back", "f = a;", "f = (a + b) - b;", false},
    {"reassociated", "p = (a + b) + c;", "p = a + (b + c);", false},
    {"distributed", "p = (a + b) * c;", "p = a * c + b * c;", false},
    {"contracted all the same", "p = a * b + c;", "p = fma(a, b, c);", false},
    {"may be contracted", "p = a * b + c;", "f = a * b + c;", false},
    {"a rounding less", "q = h * k; g = q * h;", "g = float16_t(float(h) * float(k) * float(h));",
     false, Number::f16},
    {"another rounding", "p = a * b;", "p = float(float16_t(a * b));", false},
    {"half product in a sum", "p = float(h) * float(k) + a;", "p = float(h * k) + a;", false},
    {"minimum by comparison", "f = mix(b, a, a < b);", "f = mix(a, b, b < a);", false},
    {"minimum of NaN", "f = mix(b, a, a < b);", "f = min(a, b);", false},
    {"negated comparison", "f = mix(d, c, a < b);", "f = mix(c, d, a >= b);", false},
    {"other operand", "f = a - b;", "f = b - a;", false},
    {"other component", "f = a * b;", "f = a * c;", false},
    {"other lane", "f = a;", "f = subgroupShuffleXor(a, 1);", false},
    {"shift too far", "u = i << (j & 31);", "u = i << j;", false, Number::u32},
    {"logical and arithmetic", "u = i >> 3;", "u = uint(int(i) >> 3);", false, Number::u32},
    {"signed and unsigned bytes", "u = uint(uint8_t(i));", "u = uint(int(int8_t(i)));", false,
     Number::u32},
    {"signed and unsigned", "f = float(i);", "f = float(int(i));", false},
    {"one bit more", "u = bitfieldExtract(i, 4, 12);", "u = bitfieldExtract(i, 4, 13);", false,
     Number::u32},
    {"carry", "u = (i & 0xFF) + (j & 0xFF);", "u = (i & 0xFF) | (j & 0xFF);", false, Number::u32},
    {"integers with a fault", "u = i * j + i;", "u = i * (j + 2);", false, Number::u32},
    {"modulo less", "u = (i * j) & 0xFFFF;", "u = (i & 0xFFF) * (j & 0xFFFF) & 0xFFFF;", false,
     Number::u32},
    {"one of 65536", "u = uint(float16BitsToUint16(h));",
     "u = uint(float16BitsToUint16(h)); u = mix(u, 0x7124, u == 0x7123);", false, Number::u32},
    {"one of 256", "f = float(i & 0xFF);", "f = mix(float(i & 0xFF), 78.0, (i & 0xFF) == 77);",
     false},
    {"one of 2^32", "u = i;", "u = mix(i, 0, i == 0xDEADBEEF);", false, Number::u32},
    {"NaN as bits", "u = uint(float16BitsToUint16(h));",
     "u = uint(float16BitsToUint16(float16_t(float(h))));", false, Number::u32},
    {"zero added", "p = a;", "p = a + 0.0;", false},
    {"times one", "u = floatBitsToUint(a);", "u = floatBitsToUint(a * 1.0);", false, Number::u32},
    {"negated twice by zero", "p = -a;", "p = 0.0 - a;", false},
    {"quotient", "p = a / b;", "p = a * (1.0 / b);", false},
    {"data decide", "f = a;", "if (i > 3) f = a; else f = a;", false},
    {"data address", "f = a;", "f = floats[i & 3].x;", false},
    {"lanes added", "u = subgroupAdd(i);",
     "u = i + subgroupShuffleXor(i, 1); u += subgroupShuffleXor(u, 2);", true, Number::u32},
    {"lanes added but one", "u = subgroupAdd(i);",
     "u = i + subgroupShuffleXor(i, 1); u += subgroupShuffleXor(i, 2);", false, Number::u32},
    {"bits of some lanes", "u = subgroupOr(i);",
     "u = i | subgroupShuffleXor(i, 1); u |= subgroupShuffleXor(i, 2);", false, Number::u32},
    {"floats of lanes", "f = subgroupAdd(a);", "f = subgroupAdd(a);", true},
    {"floats of lanes added", "f = subgroupAdd(a);",
     "f = a + subgroupShuffleXor(a, 1); f += subgroupShuffleXor(f, 2);", false},
    {"scans", "u = subgroupInclusiveAdd(i);", "u = subgroupExclusiveAdd(i) + i;", true,
     Number::u32},
    {"scans of floats", "f = subgroupInclusiveAdd(a);", "f = subgroupExclusiveAdd(a) + a;", false},
    {"another scan", "u = subgroupInclusiveAdd(i);", "u = subgroupExclusiveAdd(i);", false,
     Number::u32},
    {"another scan of floats", "f = subgroupInclusiveMax(a);", "f = subgroupExclusiveMax(a);",
     false},
    {"clusters", "f = subgroupMax(a);", "f = subgroupClusteredMax(a, 2);", false},
    {"votes", "u = uint(subgroupAll(i > 3));", "u = uint(subgroupAll(3 < i));", true, Number::u32},
    {"another vote", "u = uint(subgroupAny(i > 3));", "u = uint(subgroupBallot(i > 3).x == 15);",
     false, Number::u32},
    {"high product", "uint l; umulExtended(i, j, u, l);",
     "u = uint((uint64_t(i) * uint64_t(j)) >> 32);", true, Number::u32},
    {"high product with sign", "uint l; umulExtended(i, j, u, l);",
     "int y, z; imulExtended(int(i), int(j), y, z); u = uint(y);", false, Number::u32},
    {"low product", "uint z; umulExtended(i, j, z, u);", "u = i * j;", true, Number::u32},
    {"carries", "uaddCarry(i, j, u);", "u = uint(i + j < j);", true, Number::u32},
    {"carries at the bound", "uaddCarry(i, j, u);", "u = uint(i + j <= j);", false, Number::u32},
    {"borrows", "usubBorrow(i, j, u);", "u = uint(j > i);", true, Number::u32},
    {"borrows of equal ones", "usubBorrow(i, j, u);", "u = uint(j >= i);", false, Number::u32},
    {"carry of another sum", "uaddCarry(i, j, u);", "uaddCarry(i, j + 1, u);", false, Number::u32},
    {"carry for borrow", "uaddCarry(i, j, u);", "usubBorrow(i, j, u);", false, Number::u32},
    {"swapped borrow", "usubBorrow(i, j, u);", "usubBorrow(j, i, u);", false, Number::u32},
    {"high for low product", "uint z; umulExtended(i, j, u, z);", "u = i * j;", false, Number::u32},
    {"high product of halves", "uint z; umulExtended(i, j, u, z);", "u = (i >> 16) * (j >> 16);",
     false, Number::u32},
    {"bits past the high product", "uint z; umulExtended(i, j, u, z);",
     "u = uint((uint64_t(i) * uint64_t(j)) >> 31);", false, Number::u32},
    {"product with a sign", "int y, z; imulExtended(int(i), int(j), y, z); u = uint(y);",
     "u = uint((int64_t(int(i)) * int64_t(int(j))) >> 32);", true, Number::u32},
    {"product with one sign", "int y, z; imulExtended(int(i), int(j), y, z); u = uint(y);",
     "u = uint((int64_t(int(i)) * int64_t(uint64_t(j))) >> 32);", false, Number::u32},
    {"lanes multiplied", "u = subgroupMul(i);", "u = subgroupAdd(i);", false, Number::u32},
    {"lanes or both", "u = subgroupXor(i);", "u = subgroupOr(i);", false, Number::u32},
    {"lanes in signs", "u = uint(subgroupMax(int(i)));", "u = subgroupMax(i);", false, Number::u32},
    {"one lane twice", "u = subgroupXor(i);", "u = subgroupXor(i) ^ i;", false, Number::u32},
    {"clusters of integers", "u = subgroupAdd(i);", "u = subgroupClusteredAdd(i, 2);", false,
     Number::u32},
    {"sum of other values", "u = subgroupAdd(i);", "u = subgroupAdd(j);", false, Number::u32},
    {"largest and smallest of lanes", "f = subgroupMax(a);", "f = subgroupMin(a);", false},
    {"largest of negatives", "f = subgroupMax(a);", "f = -subgroupMin(-a);", false},
    {"doubled lanes", "f = subgroupAdd(a + a);", "f = subgroupAdd(a) * 2.0;", false},
    {"all or any", "u = uint(subgroupAll(a > b));", "u = uint(subgroupAny(a > b));", false,
     Number::u32},
    {"a vote of one", "u = uint(subgroupAll(a > b));", "u = uint(a > b);", false, Number::u32},
    {"a vote negated", "u = uint(subgroupAll(a > b));", "u = uint(!subgroupAny(a <= b));", false,
     Number::u32},
    {"ballots of equals", "u = subgroupBallot(i > j).x;", "u = subgroupBallot(i >= j).x;", false,
     Number::u32},
    {"another word of a ballot", "u = subgroupBallot(i > j).x;", "u = subgroupBallot(i > j).y;",
     false, Number::u32},
    {"shifted ballot", "u = subgroupBallot(i > j).x;", "u = subgroupBallot(i > j).x << 1;", false,
     Number::u32},
    {"distance for length", "f = distance(vec2(a, b), vec2(c, d));",
     "f = length(vec2(a - c, b - d));", false},
    {"other axes", "f = cross(vec3(a, b, c), vec3(d, a, b)).x;",
     "f = cross(vec3(a, b, c), vec3(d, a, b)).y;", false},
    {"normalized and divided", "f = normalize(vec2(a, b)).x;", "f = a / length(vec2(a, b));",
     false},
    {"exponent for significand", "int e; f = frexp(a, e);", "int e; f = frexp(a, e) * 1.0 + 0.0;",
     false},
    {"vectors of one length", "f = length(vec2(a, b));", "f = length(vec2(b, a));", false},
    {"whole part", "float w; f = modf(a, w);", "f = a - trunc(a);", false},
};

class SymbolPairs : public testing::TestWithParam<Pair> {};

TEST_P(SymbolPairs, AreProvedOrNot) {
    const std::string why = whyNot(GetParam());
    EXPECT_EQ(why.empty(), GetParam().isProved) << GetParam().name << ": " << why;
}

INSTANTIATE_TEST_SUITE_P(All, SymbolPairs, testing::ValuesIn(kPairs),
                         [](const auto& of) { return wordOf(of.param.name); });

}  // namespace
}  // namespace coopvk::reference::symbols_test
