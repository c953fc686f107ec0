// SPDX-License-Identifier: Apache-2.0
//
// Proofs of elements that data choose, of parts of a subgroup that data choose, and of instructions
// on whole vectors. Those that are no proofs are attempts at false claims.
#include <gtest/gtest.h>

#include "symbol_pairs.hpp"

namespace coopvk::reference::symbols_test {
namespace {

using numbers::Number;

#define OF_TWO "e = c * a + d * b, w = 1.0 - 0.25 * (1.0 - e * e)"
#define BENT "f = refract(vec2(a, b), vec2(c, d), 0.5).y;"
#define FOUR_BY_TWO \
    "const vec4 v = floats[0], w = floats[1]; f = (mat4x2(v, w) * mat2x4(w, v))[0][0];"
#define TWO_BY_FOUR \
    "const vec4 v = floats[0], w = floats[1]; f = (mat2x4(v, w) * mat4x2(w, v))[0][0];"

constexpr Pair kVectors[] = {
    {"an element", "u = uint[3](7u, 8u, j)[i % 3];",
     "u = mix(mix(j, 8u, i % 3 == 1), 7u, i % 3 == 0);", true, Number::u32},
    {"another element", "u = uint[3](7u, 8u, j)[i % 3];",
     "u = mix(mix(j, 7u, i % 3 == 1), 8u, i % 3 == 0);", false, Number::u32},
    {"256 equal bits as other numbers",
     "dvec4 x = int64BitsToDouble(i64vec4(int(i) >> 31)); u = uint(doubleBitsToInt64(x).w);",
     "u = uint(int(i) >> 31);", true, Number::u32},
    {"256 other bits as other numbers",
     "dvec4 x = int64BitsToDouble(i64vec4(int(i) >> 31)); u = uint(doubleBitsToInt64(x).w);",
     "u = uint(int(i) >> 30);", false, Number::u32},
    {"an element of four of three", "u = uint[3](7u, 8u, j)[i % 4];",
     "u = uint[3](7u, 8u, j)[i % 4];", false, Number::u32},
    {"an element of too many", "u = uint[3](7u, 8u, j)[i];", "u = uint[3](7u, 8u, j)[i];", false,
     Number::u32},
    {"an element that is undefined for one number",
     "uint n[2]; n[0] = i; u = n[j == 77777 ? 1 : 0];",
     "uint n[2]; n[0] = i; u = n[j == 77777 ? 1 : 0];", false, Number::u32},
    {"an element that is undefined", "uint n[3]; n[0] = i; n[1] = j; u = n[i % 3];",
     "uint n[3]; n[0] = i; n[1] = j; u = n[i % 3];", false, Number::u32},
    {"an element by an element", "u = uint[3](7u, 8u, j)[uint[2](2u, 0u)[i & 1]];",
     "u = mix(j, 7u, (i & 1) == 1);", true, Number::u32},
    {"an element by another element", "u = uint[3](7u, 8u, j)[uint[2](2u, 0u)[i & 1]];",
     "u = mix(j, 7u, (i & 1) == 0);", false, Number::u32},
    {"an element by a difference", "u = uint[3](7u, 8u, j)[2 - i % 3];",
     "u = mix(mix(j, 8u, i % 3 == 1), 7u, i % 3 == 2);", true, Number::u32},
    {"a store to an element", "u = mix(1u, 5u, (i & 1) == 0);",
     "uint n[2] = {1u, 2u}; n[i & 1] = 5u; u = n[0];", false, Number::u32},
    {"a component", "f = vec4(a, b, c, d)[i & 3];",
     "f = mix(mix(mix(d, c, (i & 3) == 2), b, (i & 3) == 1), a, (i & 3) == 0);", true},
    {"another component", "f = vec4(a, b, c, d)[i & 3];",
     "f = mix(mix(mix(d, c, (i & 3) == 2), b, (i & 3) == 1), a, (i & 3) == 3);", false},
    {"a store to a component", "vec2 v = vec2(a, b); v[i & 1] = c; f = v.x;",
     "f = mix(a, c, (i & 1) == 0);", false},
    {"memory", "u = words[i & 1].x;", "u = mix(words[1].x, words[0].x, (i & 1) == 0);", true,
     Number::u32},
    {"other memory", "u = words[i & 1].x;", "u = mix(words[1].x, words[2].x, (i & 1) == 0);", false,
     Number::u32},
    {"memory beyond its array", "u = words[i & 7].x;", "u = words[i & 7].x;", false, Number::u32},
    {"a lane", "u = subgroupShuffle(j, i & 1);",
     "const uint x = subgroupShuffle(j, 0), y = subgroupShuffle(j, 1); u = (i & 1) == 0 ? x : y;",
     true, Number::u32},
    {"another lane", "u = subgroupShuffle(j, i & 1);",
     "const uint x = subgroupShuffle(j, 0), y = subgroupShuffle(j, 1); u = (i & 1) == 1 ? x : y;",
     false, Number::u32},
    {"a lane beyond the subgroup", "u = subgroupShuffle(j, i & 7);",
     "u = subgroupShuffle(j, i & 7);", false, Number::u32},

    {"a partition", "u = subgroupPartitionNV(uvec2(i & 1, j & 1)).x;",
     "u = subgroupPartitionNV(i & 1).x & subgroupPartitionNV(j & 1).x;", true, Number::u32},
    {"a partition by either", "u = subgroupPartitionNV(uvec2(i & 1, j & 1)).x;",
     "u = subgroupPartitionNV(i & 1).x | subgroupPartitionNV(j & 1).x;", false, Number::u32},
    {"a partition by another bit", "u = subgroupPartitionNV(i & 1).x;",
     "u = subgroupPartitionNV(i & 2).x;", false, Number::u32},
    {"a partition as ballots", "u = subgroupPartitionNV(i & 1).x;",
     "const uint x = subgroupBallot((i & 1) != 0).x; u = (i & 1) != 0 ? x : ~x & 15;", true,
     Number::u32},
    {"a partition with more lanes", "u = subgroupPartitionNV(i & 1).x;",
     "const uint x = subgroupBallot((i & 1) != 0).x; u = (i & 1) != 0 ? x : ~x;", false,
     Number::u32},
    {"a partition of many bits", "u = subgroupPartitionNV(words[at] & 0x1111).x;",
     "const uvec4 v = words[at] & 0x1111; u = subgroupPartitionNV(v.xy).x & "
     "subgroupPartitionNV(v.z).x & subgroupPartitionNV(v.w).x;",
     true, Number::u32},
    {"a partition of less bits", "u = subgroupPartitionNV(words[at] & 0x1111).x;",
     "const uvec4 v = words[at] & 0x1111; u = subgroupPartitionNV(v.xy).x & "
     "subgroupPartitionNV(v.z).x;",
     false, Number::u32},
    {"both ballots", "u = subgroupBallot(a < b && c < d).x;",
     "u = subgroupBallot(a < b).x & subgroupBallot(c < d).x;", true, Number::u32},
    {"either ballot", "u = subgroupBallot(a < b && c < d).x;",
     "u = subgroupBallot(a < b).x | subgroupBallot(c < d).x;", false, Number::u32},
    {"either of two", "u = subgroupBallot(a < b || c < d).x;",
     "u = subgroupBallot(a < b).x | subgroupBallot(c < d).x;", true, Number::u32},
    {"one of two", "u = subgroupBallot(a < b || c < d).x;",
     "u = subgroupBallot(a < b).x ^ subgroupBallot(c < d).x;", false, Number::u32},
    {"a partition of bools", "u = subgroupPartitionNV((i & 1) != 0).x;",
     "const uint x = subgroupBallot((i & 1) != 0).x; u = (i & 1) != 0 ? x : ~x & 15;", true,
     Number::u32},
    {"a partition of floats", "u = subgroupPartitionNV(a).x;",
     "u = subgroupPartitionNV(floatBitsToUint(a)).x;", false, Number::u32},
    {"sums in parts", "u = subgroupPartitionedAddNV(j, subgroupPartitionNV(i & 1));",
     "const uint x = subgroupBallot((i & 1) != 0).x; u = subgroupPartitionedAddNV(j, "
     "uvec4((i & 1) != 0 ? x : ~x & 15, 0, 0, 0));",
     true, Number::u32},
    {"sums in other parts", "u = subgroupPartitionedAddNV(j, subgroupPartitionNV(i & 1));",
     "u = subgroupPartitionedAddNV(j, subgroupPartitionNV(j & 1));", false, Number::u32},
    {"sums before in parts", "u = subgroupPartitionedAddNV(j, subgroupPartitionNV(i & 1));",
     "u = subgroupPartitionedInclusiveAddNV(j, subgroupPartitionNV(i & 1));", false, Number::u32},
    {"other sums in parts", "u = subgroupPartitionedAddNV(j, subgroupPartitionNV(i & 1));",
     "u = subgroupPartitionedAddNV(i, subgroupPartitionNV(i & 1));", false, Number::u32},

    {"length", "f = length(vec2(a, b));", "f = sqrt(a * a + b * b);", true},
    {"length for its expression", "f = sqrt(a * a + b * b);", "f = length(vec2(a, b));", false},
    {"length of two of three", "f = length(vec3(a, b, c));", "f = sqrt(a * a + b * b);", false},
    {"distance", "f = distance(vec2(a, b), vec2(c, d));",
     "f = sqrt((a - c) * (a - c) + (b - d) * (b - d));", true},
    {"distance to the opposite", "f = distance(vec2(a, b), vec2(c, d));",
     "f = sqrt((a + c) * (a + c) + (b + d) * (b + d));", false},
    {"normalize", "f = normalize(vec2(a, b)).y;", "f = b * inversesqrt(a * a + b * b);", true},
    {"normalize of the other component", "f = normalize(vec2(a, b)).y;",
     "f = a * inversesqrt(a * a + b * b);", false},
    {"normalize by a quotient", "f = normalize(vec2(a, b)).y;", "f = b / sqrt(a * a + b * b);",
     false},
    {"faceforward", "f = faceforward(vec2(a, b), vec2(b, c), vec2(c, d)).x;",
     "f = c * b + d * c < 0.0 ? a : -a;", true},
    {"faceforward at zero", "f = faceforward(vec2(a, b), vec2(b, c), vec2(c, d)).x;",
     "f = c * b + d * c <= 0.0 ? a : -a;", false},
    {"reflect", "f = reflect(vec2(a, b), vec2(c, d)).x;", "f = a - 2.0 * (c * a + d * b) * c;",
     true},
    {"reflect at the other component", "f = reflect(vec2(a, b), vec2(c, d)).x;",
     "f = a - 2.0 * (c * a + d * b) * d;", false},
    {"refract", BENT, "float " OF_TWO "; f = w < 0.0 ? 0.0 : 0.5 * b - (0.5 * e + sqrt(w)) * d;",
     true},
    {"refract of the other component", BENT,
     "float " OF_TWO "; f = w < 0.0 ? 0.0 : 0.5 * a - (0.5 * e + sqrt(w)) * d;", false},
    {"refract at zero", BENT,
     "float " OF_TWO "; f = w <= 0.0 ? 0.0 : 0.5 * b - (0.5 * e + sqrt(w)) * d;", false},

    // As many components in other rows and columns.
    {"product of matrices", FOUR_BY_TWO, FOUR_BY_TWO, true},
    {"product of matrices of other shapes", FOUR_BY_TWO, TWO_BY_FOUR, false},
    {"outer product", "f = outerProduct(vec2(a, b), vec3(c, d, a))[0][0];",
     "f = outerProduct(vec2(a, b), vec3(c, d, a))[0][0];", true},
    {"determinants", "f = determinant(mat2(a, b, c, d));", "f = determinant(mat2(a, c, b, d));",
     false},
};

class VectorProofs : public testing::TestWithParam<Pair> {};

TEST_P(VectorProofs, AreProvedOrNot) {
    const std::string why = whyNot(GetParam());
    EXPECT_EQ(why.empty(), GetParam().isProved) << GetParam().name << ": " << why;
}

INSTANTIATE_TEST_SUITE_P(All, VectorProofs, testing::ValuesIn(kVectors),
                         [](const auto& of) { return wordOf(of.param.name); });

}  // namespace
}  // namespace coopvk::reference::symbols_test
