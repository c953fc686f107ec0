// SPDX-License-Identifier: Apache-2.0
//
// Proofs where devices choose a value: which zero is a minimum, whether a product and a sum are one
// instruction, how precise a function is. Those that are no proofs are attempts at false claims.
#include <gtest/gtest.h>

#include "symbol_pairs.hpp"

namespace coopvk::reference::symbols_test {
namespace {

using numbers::Number;

#define LEAST "floatBitsToUint(min(a, b))"
#define LEAST_SWAPPED "floatBitsToUint(min(b, a))"
#define ROOT "float x = sqrt(float(i & 3)); "
#define TABLE "uintBitsToFloat(uint[4](0u, 0x3F800000u, 0x3FB504F3u, 0x3FDDB3D7u)[i & 3])"
#define EXACT "precise float x = a * b; "

constexpr Pair kChoices[] = {
    // Of one value.
    {"minima less each other", "float x = min(a, b); f = x - x;", "f = min(a, b) - min(b, a);",
     false},
    {"minima less themselves", "float x = min(a, b); f = x - x;", "float x = min(b, a); f = x - x;",
     true},
    {"bits of two minima", "u = " LEAST "; u = u + u;", "u = " LEAST " + " LEAST_SWAPPED ";", false,
     Number::u32},
    {"common bits of two minima", "u = " LEAST "; u = u & u;", "u = " LEAST " & " LEAST_SWAPPED ";",
     false, Number::u32},
    {"equal minima on the other side", "u = 1;", "u = uint(" LEAST " == " LEAST_SWAPPED ");", false,
     Number::u32},
    {"different bits on the other side", "u = i;", "u = i ^ " LEAST " ^ " LEAST_SWAPPED ";", false,
     Number::u32},
    {"minima that are less and not less", "bool x = min(a, b) < c; f = x && !x ? 3.0 : d;",
     "bool x = min(a, b) < c, y = min(b, a) < c; f = x && !y ? 3.0 : d;", false},
    {"fused less not fused", "float x = fma(a, b, c); f = x - x;",
     "precise float x = a * b; f = fma(a, b, c) - (x + c);", false},
    {"both not fused", "float x = fma(a, b, c); f = x - x;",
     "precise float x = a * b + c; f = x - x;", true},
    {"length less its expression", "float x = length(vec2(a, b)); f = x - x;",
     "f = length(vec2(a, b)) - sqrt(a * a + b * b);", false},
    {"fused in one lane", "f = subgroupShuffle(fma(a, b, c), 0);",
     "float x = subgroupShuffle(fma(a, b, c), 0); precise float y = a * b + c;"
     "y = subgroupShuffle(y, 0); f = at == 0 ? x : y;",
     false},
    {"roots by a table", ROOT "f = x - x;", "float x = " TABLE "; f = x - x;", true},
    {"roots less a table", ROOT "f = x - x;", ROOT "f = x - " TABLE ";", false},

    // Which products may be contracted.
    {"a product through a wider format", "p = a * b; p = p + c;",
     "float x = float(double(a * b)); f = x + c;", false},
    {"the greatest of a product", "p = a * b; p = max(p, p); p = p + c;",
     "float x = a * b; x = max(x, x); f = x + c;", false},
    {"a product within infinities", "p = clamp(a * b, -1.0 / 0.0, 1.0 / 0.0); p = p + c;",
     "float x = clamp(a * b, -1.0 / 0.0, 1.0 / 0.0); f = x + c;", false},
    {"a product by 1", "p = (a * b) / 1.0; p = p + c;", "float x = (a * b) / 1.0; f = x + c;",
     false},
    {"a product and no sum", "p = fma(a * b, 1.0, -0.0); p = p + c;",
     "float x = fma(a * b, 1.0, -0.0); f = x + c;", false},
    {"a product and 0", "p = (a * b) + -0.0; p = p + c;", "float x = (a * b) + -0.0; f = x + c;",
     false},
    {"a product of no power", "p = ldexp(a * b, 0); p = p + c;",
     "float x = ldexp(a * b, 0); f = x + c;", false},
    {"a root of a product", "p = sqrt(a * b); p = p + c;", "float x = sqrt(a * b); f = x + c;",
     false},
    {"bits of a product", EXACT "f = uintBitsToFloat(min(floatBitsToUint(x), 0xFFFFFFFFu)) + c;",
     "f = uintBitsToFloat(min(floatBitsToUint(a * b), 0xFFFFFFFFu)) + c;", false},
    {"an exact product through a wider format", "p = a * b; p = p + c;",
     "precise float x = a * b; x = float(double(x)); p = x + c;", true},
    {"both products", "f = a * b + c * d;", "precise float x = a * b; f = x + c * d;", true},
    {"the other product", EXACT "f = x + c * d;", "precise float x = c * d; f = a * b + x;", false},
    {"the other product of a difference", EXACT "f = x - c * d;",
     "precise float x = c * d; f = a * b - x;", false},
    {"the other product in a root", EXACT "f = sqrt(x + c * d);",
     "precise float x = c * d; f = sqrt(a * b + x);", false},
    {"a product with another sign", EXACT "f = -x + c;", "f = -(a * b) + c;", false},
    {"the magnitude of a product", EXACT "f = abs(x) + c;", "f = abs(a * b) + c;", false},
    {"a product and a product of 1", EXACT "f = fma(x, 1.0, c);", "f = fma(a * b, 1.0, c);", false},
    {"a product in a sum of factors of 1", EXACT "f = dot(vec2(x, c), vec2(1.0, 1.0));",
     "f = dot(vec2(a * b, c), vec2(1.0, 1.0));", false},
    {"a power of the logarithm of a product", EXACT "f = exp2(log2(x)) + c;",
     "f = exp2(log2(a * b)) + c;", false},
    {"the magnitude of a product by its bits",
     EXACT "f = uintBitsToFloat(floatBitsToUint(x) & 0x7FFFFFFFu) + c;",
     "f = uintBitsToFloat(floatBitsToUint(a * b) & 0x7FFFFFFFu) + c;", false},
    {"the floor of a product", EXACT "f = floor(x) + c;", "f = floor(a * b) + c;", false},
    {"the product that ends a smooth step", "float x = smoothstep(a, b, c); p = x + d;",
     "float x = smoothstep(a, b, c); f = x + d;", false},
    {"the product that ends a logarithm", "float x = log(a); p = x + d;",
     "float x = log(a); f = x + d;", false},
    {"a product that is chosen", EXACT "f = (i == 5 ? x : d) + c;",
     "float x = a * b; f = (i == 5 ? x : d) + c;", false},
    {"one of two products that are chosen", EXACT "f = (i == 5 ? x : c * d) + c;",
     "precise float x = c * d; f = (i == 5 ? a * b : x) + c;", false},
    {"a product added to a fused one", EXACT "f = fma(c, d, x);", "f = fma(c, d, a * b);", false},
    // Vulkan, "Evaluation of Expressions": sums and products that are rearranged.
    {"a root of a product alone", EXACT "f = sqrt(x);", "f = sqrt(a * b);", false},
    {"a product by 1 in a sum", EXACT "f = x * 1.0 + c;", "f = a * b * 1.0 + c;", false},
    {"a product alone", EXACT "f = x;", "f = a * b;", true},
    {"a sum less an operand", "p = a + b; p = p - a;", "f = a + b; f = f - a;", false},
    {"a sum less an operand, both exact", "p = a + b; p = p - a;", "p = a + b; p = p - a;", true},
    {"a sum less an operand, both loose", "f = (a + b) - a;", "f = (b + a) - a;", true},
    {"a product less a factor", EXACT "p = x / b; f = p;", "f = a * b / b;", false},
    {"a sum that is less", "p = a + b; f = p < c ? a : b;", "f = a + b < c ? a : b;", false},
    {"a quotient in a sum", "p = a / b; p = p + c;", "f = a / b + c;", false},
    {"a product that becomes a half", EXACT "g = float16_t(x);", "g = float16_t(a * b);", false,
     Number::f16},
    {"bits of a product, twice another",
     EXACT "f = uintBitsToFloat((floatBitsToUint(x) ^ i) ^ i) + c;",
     "f = uintBitsToFloat((floatBitsToUint(a * b) ^ i) ^ i) + c;", false},
    {"the least of one lane", "f = a;", "f = subgroupClusteredMin(a, 1);", false},
    {"the sum of one lane", "f = a;", "f = subgroupClusteredAdd(a, 1);", false},
    {"a clamp without a number in its range", "f = c;",
     "f = clamp(float(gl_NumWorkGroups.x), 5.0, 3.0) == 3.0 ? c : d;", false},
    {"lanes of a quad", "f = subgroupShuffle(a, 1);", "f = subgroupQuadBroadcast(a, 1);", true},
    {"lanes of a quad by themselves", "f = a;",
     "f = subgroupQuadBroadcast(a, gl_SubgroupInvocationID & 3);", false},
    {"a word of which half is not defined", "u = uint(findMSB(i & 0xFFFFu));",
     "u16vec2 v; v.x = uint16_t(i); u = uint(findMSB(packUint2x16(v)));", false, Number::u32},
    {"half of a word of which half is not defined", "u = uint(findMSB(i & 0xFFFFu));",
     "u16vec2 v; v.x = uint16_t(i); u = uint(findMSB(packUint2x16(v) & 0xFFFFu));", true,
     Number::u32},
    {"the sign of NaN", "f = a;",
     "f = sign(uintBitsToFloat(0x7FC00000u | gl_NumWorkGroups.x)) == 0.0 ? a : b;", false},
    {"a known sum that is rounded", "f = a;",
     "float t = float(gl_NumWorkGroups.x) + 0.1; f = t + 1e-9 - t == 0.0 ? a : b;", false},
};

class ChoiceProofs : public testing::TestWithParam<Pair> {};

TEST_P(ChoiceProofs, AreProvedOrNot) {
    const std::string why = whyNot(GetParam());
    EXPECT_EQ(why.empty(), GetParam().isProved) << GetParam().name << ": " << why;
}

INSTANTIATE_TEST_SUITE_P(All, ChoiceProofs, testing::ValuesIn(kChoices),
                         [](const auto& of) { return wordOf(of.param.name); });

}  // namespace
}  // namespace coopvk::reference::symbols_test
