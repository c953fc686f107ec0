// SPDX-License-Identifier: Apache-2.0
//
// Proofs of reductions of matrices. Those that are no proofs are attempts at false claims.
#include <gtest/gtest.h>

#include "symbol_pairs.hpp"

namespace coopvk::reference::symbols_test {
namespace {

using numbers::Number;

// Trees of calls of the function that combines, each element once.
#define ROWS "void main() { REDUCED(float, 4, 1, floats, Row, total, results) }"
#define OF_ROW(WHAT)                                                                             \
    "void main() { const uint at = gl_LocalInvocationIndex, n = at * 4; const float x0 = "       \
    "floats[n], x1 = floats[n + 1], x2 = floats[n + 2], x3 = floats[n + 3]; results[at] = " WHAT \
    "; }"
#define KNOWN(NUMBER)                                                 \
    "void main() { M(float, 4, 4) m = M(float, 4, 4)(" NUMBER         \
    "); M(float, 4, 1) r; "                                           \
    "coopMatReduceNV(r, m, gl_CooperativeMatrixReduceRowNV, total); " \
    "coopMatStore(r, results, 0, 1, gl_CooperativeMatrixLayoutRowMajor); }"
#define SAME(NUMBER) "void main() { results[gl_LocalInvocationIndex] = " NUMBER "; }"
#define LARGEST "void main() { REDUCED(float, 4, 1, floats, Row, most, results) }"
#define SPREAD "void main() { REDUCED(float, 4, 1, floats, Row, first, results) }"
#define WEIGHTED "void main() { REDUCED(float, 4, 1, floats, Row, weighted, results) }"
#define INTEGERS(BY) "void main() { REDUCED(uint, 4, 1, words, Row, " BY ", integers) }"
#define SHORTS(BY) "void main() { REDUCED(float16_t, 4, 1, halves, Row, " BY ", shorts) }"
#define KNOWN_INTEGERS(BY)                                                \
    "void main() { M(uint, 4, 4) m = M(uint, 4, 4)(1); M(uint, 4, 1) r; " \
    "coopMatReduceNV(r, m, gl_CooperativeMatrixReduceRowNV, " BY          \
    "); "                                                                 \
    "coopMatStore(r, integers, 0, 1, gl_CooperativeMatrixLayoutRowMajor); }"
#define LANE "void main() { const uint at = gl_LocalInvocationIndex, n = at * 4; "
#define INTEGER(WHAT) LANE "integers[at] = " WHAT "; }"
#define SHORT(WHAT) LANE "shorts[at] = " WHAT "; }"

constexpr Pair kReductions[] = {
    {"in pairs", ROWS, OF_ROW("(x0 + x1) + (x2 + x3)"), true},
    {"in a row", ROWS, OF_ROW("((x0 + x1) + x2) + x3"), true},
    {"in another order", ROWS, OF_ROW("x3 + (x0 + (x2 + x1))"), true},
    {"one twice", ROWS, OF_ROW("(x0 + x1) + (x2 + x2)"), false},
    {"one less", ROWS, OF_ROW("(x0 + x1) + x2"), false},
    {"one more", ROWS, OF_ROW("((x0 + x1) + (x2 + x3)) + x0"), false},
    {"zero more", ROWS, OF_ROW("((x0 + x1) + (x2 + x3)) + 0.0"), false},
    {"halves of all", ROWS, OF_ROW("(x0 * 0.5 + x1 * 0.5 + x2 * 0.5 + x3 * 0.5) * 2.0"), false},
    {"a difference", ROWS, OF_ROW("(x0 + x1) - (x2 + x3)"), false},
    {"a negative difference", ROWS, OF_ROW("(x0 + x1) - (-x2 - x3)"), false},
    {"in f64", ROWS, OF_ROW("float(double(x0) + double(x1) + double(x2) + double(x3))"), false},
    {"as a dot product", ROWS, OF_ROW("dot(vec4(x0, x1, x2, x3), vec4(1.0))"), false},
    {"of a column", "void main() { REDUCED(float, 1, 4, floats, Column, total, results) }",
     OF_ROW("(x0 + x1) + (x2 + x3)"), false},
    {"of a row of another matrix", ROWS,
     OF_ROW("(floats[at] + floats[at + 4]) + (floats[at + 8] + floats[at + 12])"), false},
    {"of a column as such", "void main() { REDUCED(float, 1, 4, floats, Column, total, results) }",
     OF_ROW("(floats[at] + floats[at + 4]) + (floats[at + 8] + floats[at + 12])"), true},
    {"of neighbors", "void main() { REDUCED(float, 2, 2, floats, 2x2, total, results) }",
     OF_ROW("(floats[at / 2 * 8 + at % 2 * 2] + floats[at / 2 * 8 + at % 2 * 2 + 1]) + (floats[at "
            "/ 2 * 8 + at % 2 * 2 + 4] + floats[at / 2 * 8 + at % 2 * 2 + 5])"),
     true},
    {"of other neighbors", "void main() { REDUCED(float, 2, 2, floats, 2x2, total, results) }",
     OF_ROW("(floats[at * 4] + floats[at * 4 + 1]) + (floats[at * 4 + 2] + floats[at * 4 + 3])"),
     false},
    {"largest", LARGEST, OF_ROW("max(max(x3, x1), max(x2, x0))"), true},
    {"largest by comparison", LARGEST, OF_ROW("max(max(x3, x1), x2 > x0 ? x2 : x0)"), false},
    {"smallest", LARGEST, OF_ROW("min(max(x3, x1), max(x2, x0))"), false},
    {"largest of three", LARGEST, OF_ROW("max(max(x3, x1), x2)"), false},
    {"one of them", SPREAD, OF_ROW("x2"), true},
    {"one of others", SPREAD, "void main() { results[gl_LocalInvocationIndex] = floats[0]; }",
     false},
    {"two of them", SPREAD, OF_ROW("x2 + x1"), false},
    {"any function", WEIGHTED, OF_ROW("weighted(weighted(x1, x0), weighted(x2, x3))"), true},
    {"any function without its shape", WEIGHTED, OF_ROW("x0 + x1 * 0.5 + (x2 + x3) * 0.5"), false},
    {"any function on three", WEIGHTED, OF_ROW("weighted(weighted(x1, x0), x2) + x3"), false},
    {"contracted", "void main() { REDUCED(float, 4, 1, floats, Row, exact, results) }",
     OF_ROW("weighted(weighted(x1, x0), weighted(x2, x3))"), false},
    // In a row -2, in pairs 0.
    {"of known integers in a row", INTEGER("-2"), KNOWN_INTEGERS("apart"), false, Number::u32},
    {"of known integers in pairs", INTEGER("0"), KNOWN_INTEGERS("apart"), false, Number::u32},
    {"of known integers in any order", INTEGER("4"), KNOWN_INTEGERS("totalOf"), true, Number::u32},
    {"of integers", INTEGERS("totalOf"),
     INTEGER("words[n + 3] + words[n] + (words[n + 1] + words[n + 2])"), true, Number::u32},
    {"of integers but one", INTEGERS("totalOf"), INTEGER("words[n + 3] + words[n] + words[n + 1]"),
     false, Number::u32},
    {"largest integer", INTEGERS("mostOf"),
     INTEGER("max(words[n + 3], max(words[n], max(words[n + 1], words[n + 2])))"), true,
     Number::u32},
    {"largest integer with sign", INTEGERS("mostOf"),
     INTEGER("max(words[n + 3], max(words[n], uint(max(int(words[n + 1]), int(words[n + 2])))))"),
     false, Number::u32},
    {"bits", INTEGERS("bits"), INTEGER("words[n + 3] | words[n] | (words[n + 1] | words[n + 2])"),
     true, Number::u32},
    {"bits added", INTEGERS("bits"),
     INTEGER("words[n + 3] | words[n] | (words[n + 1] + words[n + 2])"), false, Number::u32},
    {"halves", SHORTS("shortTotal"),
     SHORT("(halves[n] + halves[n + 2]) + (halves[n + 3] + halves[n + 1])"), true, Number::f16},
    {"halves in f32", SHORTS("shortTotal"),
     SHORT("float16_t(float(halves[n]) + float(halves[n + 2]) + float(halves[n + 3]) + "
           "float(halves[n + 1]))"),
     false, Number::f16},
    // Of known numbers: where the order counts, and where not.
    {"known numbers", KNOWN("1.5"), SAME("6.0"), true},
    {"to known numbers", SAME("6.0"), KNOWN("1.5"), true},
    {"to known numbers that are rounded", SAME("0.1 + 0.1 + 0.1 + 0.1"), KNOWN("0.1"), false},
};

class ReductionPairs : public testing::TestWithParam<Pair> {};

TEST_P(ReductionPairs, AreProvedOrNot) {
    const std::string why = whyNot(GetParam());
    EXPECT_EQ(why.empty(), GetParam().isProved) << GetParam().name << ": " << why;
}

INSTANTIATE_TEST_SUITE_P(All, ReductionPairs, testing::ValuesIn(kReductions),
                         [](const auto& of) { return wordOf(of.param.name); });

}  // namespace
}  // namespace coopvk::reference::symbols_test
