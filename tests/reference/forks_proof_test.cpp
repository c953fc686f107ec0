// SPDX-License-Identifier: Apache-2.0
//
// Proofs of programs whose branches depend on data. Those that are no proofs are attempts at false
// claims.
#include <gtest/gtest.h>

#include "symbol_pairs.hpp"

namespace coopvk::reference::forks_proof_test {
namespace {

using numbers::Number;
using symbols_test::Pair;

#define CALLED(FUNCTION, WHAT) \
    FUNCTION " void main() { const uint at = gl_LocalInvocationIndex; " WHAT "; }"
#define RETURNS "float of(float x, uint i) { if (i > 3) return x; return x + 1.0; }"
#define SEARCHES "uint of(uint i) { for (uint k = 0; k < 3; ++k) if (k == i) return k; return 7; }"
#define BREAKS                                                                              \
    "uint of(uint i) { uint s = 0; for (uint k = 0; k < 3; ++k) { if (k == i) break; s += " \
    "k + 1; } return s; }"
#define SKIPS                                                                                  \
    "uint of(uint i) { uint s = 0; for (uint k = 0; k < 3; ++k) { if (k == i) continue; s += " \
    "k + 1; } return s; }"
#define COUNTS \
    "uint of(uint i) { uint s = 0; for (uint k = 0; k < min(i, 3); ++k) s += k + 1; return s; }"
#define OF_WORD "integers[at] = of(words[at])"
#define CHOSEN(A, B, C, D)                                                                    \
    "integers[at] = mix(mix(mix(" D "u, " C "u, words[at] == 2), " B "u, words[at] == 1), " A \
    "u, words[at] == 0)"

constexpr Pair kForks[] = {
    {"two ways", "f = mix(d, c, a < b);", "if (a < b) f = c; else f = d;", true},
    {"two ways on the native side", "if (a < b) f = c; else f = d;", "f = mix(d, c, a < b);", true},
    {"the other way", "f = mix(d, c, a < b);", "if (a < b) f = d; else f = c;", false},
    {"another condition", "f = mix(d, c, a < b);", "if (a <= b) f = c; else f = d;", false},
    {"one way", "f = mix(0.0, c, a < b);", "if (a < b) f = c;", true},
    {"one way and a fault", "f = mix(0.0, c, a < b);", "f = 1.0; if (a < b) f = c;", false},
    {"ways in a way", "f = mix(mix(d, c, i > j), b, a < b);",
     "if (a < b) f = b; else if (i > j) f = c; else f = d;", true},
    {"ways in the other way", "f = mix(mix(d, c, i > j), b, a < b);",
     "if (i > j) f = c; else if (a < b) f = b; else f = d;", false},
    {"ways behind ways", "f = mix(a, a + b, i > 3); f = mix(f, f + c, j > 3);",
     "f = a; if (i > 3) f += b; if (j > 3) f += c;", true},
    {"ways behind ways of one condition", "f = mix(a, a + b, i > 3); f = mix(f, f + c, j > 3);",
     "f = a; if (i > 3) f += b; if (i > 3) f += c;", false},
    {"a variable of each way", "f = mix(a, c, a < b);",
     "float z = a; if (a < b) { z = c; f = z; } else { f = z; }", true},
    {"a variable of the other way", "f = c;",
     "float z = a; if (a < b) { z = c; f = z; } else { f = z; }", false},
    {"undefined on one way", "f = mix(a, c, a < b);", "float z; if (a < b) z = c; f = z;", false},
    {"memory on one way", "f = a;", "f = a; if (i > 3) results[at] = 7;", false},
    {"lanes on one way", "f = mix(a, subgroupAdd(a), i > 3);",
     "f = a; if (i > 3) f = subgroupAdd(a);", false},
    {"a lane on one way", "f = mix(a, subgroupShuffleXor(a, 1), i > 3);",
     "f = a; if (i > 3) f = subgroupShuffleXor(a, 1);", false},
    {"a barrier on one way", "f = a;", "f = a; if (i > 3) barrier();", false},
    {"cases", "f = a;", "switch (i) { case 1: f = a; break; default: f = a; }", false},
    {"early return", CALLED("", "results[at] = mix(floats[at] + 1.0, floats[at], words[at] > 3)"),
     CALLED(RETURNS, "results[at] = of(floats[at], words[at])"), true},
    {"early return at the bound",
     CALLED("", "results[at] = mix(floats[at] + 1.0, floats[at], words[at] >= 3)"),
     CALLED(RETURNS, "results[at] = of(floats[at], words[at])"), false},
    {"search", CALLED("", CHOSEN("0", "1", "2", "7")), CALLED(SEARCHES, OF_WORD), true,
     Number::u32},
    {"search with a fault", CALLED("", CHOSEN("0", "1", "2", "6")), CALLED(SEARCHES, OF_WORD),
     false, Number::u32},
    {"search with a fault within", CALLED("", CHOSEN("0", "2", "2", "7")),
     CALLED(SEARCHES, OF_WORD), false, Number::u32},
    {"break", CALLED("", CHOSEN("0", "1", "3", "6")), CALLED(BREAKS, OF_WORD), true, Number::u32},
    {"break one later", CALLED("", CHOSEN("1", "3", "6", "6")), CALLED(BREAKS, OF_WORD), false,
     Number::u32},
    {"continue", CALLED("", CHOSEN("5", "4", "3", "6")), CALLED(SKIPS, OF_WORD), true, Number::u32},
    {"continue for break", CALLED("", CHOSEN("5", "4", "3", "6")), CALLED(BREAKS, OF_WORD), false,
     Number::u32},
    {"iterations with a bound of data", CALLED("", CHOSEN("0", "1", "3", "6")),
     CALLED(COUNTS, OF_WORD), true, Number::u32},
    {"one iteration more", CALLED("", CHOSEN("1", "3", "6", "6")), CALLED(COUNTS, OF_WORD), false,
     Number::u32},
    // They pass the merge block of the nearest selection.
    {"a way out of two selections", "f = mix(d, mix(b, c, i > 3), j > 3);",
     "switch (0) { default: if (j > 3) { if (i > 3) { f = c; break; } f = b; break; } f = d; }",
     true},
    {"a way out of one selection of two", "f = mix(d, mix(b, c, i > 3), j > 3);",
     "switch (0) { default: if (j > 3) { if (i > 3) { f = c; break; } f = b; } f = d; }", false},
    {"the other way out of two selections", "f = mix(d, mix(b, c, i > 3), j > 3);",
     "switch (0) { default: if (j > 3) { if (i > 3) { f = b; break; } f = c; break; } f = d; }",
     false},
    // "Behavior is undefined if Operand 2 is 0", and if a quotient overflows.
    {"a quotient on one way", "u = i; if (j != 0) u = i / j;", "u = i; if (j != 0) u = i / j;",
     true, Number::u32},
    {"a quotient on both ways", "u = i; if (j != 0) u = i / j;", "u = mix(i, i / j, j != 0);",
     false, Number::u32},
    {"a quotient of all data before", "u = mix(i, i / j, j != 0);", "u = i; if (j != 0) u = i / j;",
     true, Number::u32},
    {"a rest on the other way", "u = i; if (j != 0) u = i % j;", "u = i; if (j == 0) u = i % j;",
     false, Number::u32},
    {"a quotient that nothing reads", "u = i;", "u = i + i / j * 0;", false, Number::u32},
    {"a quotient by a known number", "u = i;", "u = i + i / 3 * 0;", true, Number::u32},
    {"a signed quotient by -1", "u = -i;", "u = uint(int(i) / -1);", false, Number::u32},
    {"signed quotients by another dividend", "u = uint(int(i) / int(j));",
     "u = uint(int(i) / int(j)) + uint(int(j) / int(j)) * 0;", false, Number::u32},
    // What both promise is taken to be true, where the original does so.
    {"uniform sums", "f = a + b;", "f = a + b;", true, Number::f32, "OpFAdd Uniform",
     "OpFAdd Uniform"},
    {"uniform sums of others", "f = a + b; f = f + c;", "f = b + c; f = a + f;", false, Number::f32,
     "OpFAdd Uniform", "OpFAdd Uniform"},
    {"a uniform sum on one way", "f = a; if (i > 3) f = a + b;", "f = mix(a, a + b, i > 3);", false,
     Number::f32, "OpFAdd Uniform", "OpFAdd Uniform"},
    {"without an end", "u = i;", "u = i; while (u > 3) u = u / 2;", false, Number::u32},
};

class ForksProofs : public testing::TestWithParam<Pair> {};

TEST_P(ForksProofs, AreProvedOrNot) {
    const std::string why = symbols_test::whyNot(GetParam());
    EXPECT_EQ(why.empty(), GetParam().isProved) << GetParam().name << ": " << why;
}

INSTANTIATE_TEST_SUITE_P(All, ForksProofs, testing::ValuesIn(kForks),
                         [](const auto& of) { return symbols_test::wordOf(of.param.name); });

}  // namespace
}  // namespace coopvk::reference::forks_proof_test
