// SPDX-License-Identifier: Apache-2.0
//
// GLSL.std.450: a case or more for each instruction.
#include <gtest/gtest.h>

#include <cmath>

#include "shader_text.hpp"

namespace coopvk::reference::test::glsl_test {
namespace {

struct Case {
    const char* op;         // the instruction's name
    std::vector<float> in;  // operands, each a scalar
    float expected;
};

const Case kScalars[] = {
    {"RoundEven", {2.5f}, 2},
    {"RoundEven", {3.5f}, 4},
    {"RoundEven", {-2.5f}, -2},
    {"RoundEven", {-0.3f}, 0},
    {"Trunc", {-2.7f}, -2},
    {"FAbs", {-3}, 3},
    {"FSign", {-3}, -1},
    {"Floor", {-2.5f}, -3},
    {"Ceil", {-2.5f}, -2},
    {"Fract", {-2.25f}, 0.75f},
    {"Radians", {180}, 3.14159265f},
    {"Degrees", {3.14159265f}, 180},
    {"Sin", {1}, 0.84147098f},
    {"Cos", {1}, 0.54030231f},
    {"Tan", {1}, 1.5574077f},
    {"Asin", {0.5f}, 0.52359878f},
    {"Acos", {0.5f}, 1.0471976f},
    {"Atan", {1}, 0.78539816f},
    {"Sinh", {1}, 1.1752012f},
    {"Cosh", {1}, 1.5430806f},
    {"Tanh", {1}, 0.76159416f},
    {"Asinh", {1}, 0.88137359f},
    {"Acosh", {2}, 1.3169579f},
    {"Atanh", {0.5f}, 0.54930614f},
    {"Atan2", {1, -1}, 2.3561945f},
    {"Pow", {2, 10}, 1024},
    {"Exp", {1}, 2.7182818f},
    {"Log", {10}, 2.3025851f},
    {"Exp2", {3}, 8},
    {"Log2", {8}, 3},
    {"Sqrt", {9}, 3},
    {"InverseSqrt", {4}, 0.5f},
    {"FMin", {1, 2}, 1},
    {"FMax", {1, 2}, 2},
    {"FClamp", {5, 1, 3}, 3},
    {"FMix", {2, 4, 0.25f}, 2.5f},
    {"Step", {2, 1}, 0},
    {"Step", {2, 2}, 1},
    {"SmoothStep", {0, 2, 1}, 0.5f},
    {"Fma", {2, 3, 4}, 10},
    {"NMin", {NAN, 2}, 2},
    {"NMax", {2, NAN}, 2},
    {"NClamp", {NAN, 1, 3}, 1},
};

TEST(ReferenceGlsl, Scalars) {
    for (const Case& c : kScalars) {
        ShaderText text;
        text.localSize = 1;
        std::string operands;
        Execution r;
        r.lanes = 4;
        r.buffers[1] = {0};
        for (size_t n = 0; n < c.in.size(); ++n) {
            const std::string name = "%x" + std::to_string(n);
            text.body += loadWord(name, "%u_" + std::to_string(n)) + name + "f = OpBitcast %f32 " +
                         name + "\n";
            operands += " " + name + "f";
            r.buffers[0].push_back(bitsOf(c.in[n]));
        }
        text.body += "%z = OpExtInst %f32 %glsl " + std::string(c.op) + operands +
                     "\n%r = OpBitcast %u32 %z\n" + storeWord("%u_0", "%r");
        execute(r, shader(text));
        ASSERT_EQ(r.error, "") << c.op;
        EXPECT_NEAR(floatOf(r.buffers[1][0]), c.expected, std::fabs(c.expected) * 2e-7) << c.op;
    }
}

struct WordCase {
    std::string code;  // from %a to %r
    uint32_t a, expected;
};

TEST(ReferenceGlsl, Words) {
    const std::string to = "%r = OpExtInst %u32 %glsl ";
    const std::string vector = "%f = OpBitcast %f32 %a\n%v = OpCompositeConstruct %v2f32 %f %f_1\n";
    for (const WordCase& c : {
             WordCase{to + "FindILsb %a\n", 8, 3},
             {to + "FindILsb %a\n", 0, 0xFFFFFFFF},
             {to + "FindUMsb %a\n", 0x80000000, 31},
             {to + "FindUMsb %a\n", 0, 0xFFFFFFFF},
             {to + "FindSMsb %a\n", 0xFFFFFFFF, 0xFFFFFFFF},
             {to + "FindSMsb %a\n", 0xFFFFFFFE, 0},
             {to + "SAbs %a\n", 0xFFFFFFFE, 2},
             {to + "SSign %a\n", 0xFFFFFFFE, 0xFFFFFFFF},
             {to + "UMin %a %u_3\n", 0xFFFFFFFF, 3},
             {to + "SMin %a %u_3\n", 0xFFFFFFFF, 0xFFFFFFFF},
             {to + "UClamp %a %u_3 %u_7\n", 9, 7},
             {to + "SClamp %a %u_3 %u_7\n", 0xFFFFFFFF, 3},
             {vector + to + "PackHalf2x16 %v\n", 0x40000000, 0x3C004000},
             {vector + to + "PackSnorm2x16 %v\n", 0xBF800000, 0x7FFF8001},
             {vector + to + "PackUnorm2x16 %v\n", 0x3F000000, 0xFFFF8000},
             {"%v = OpExtInst %v2f32 %glsl UnpackHalf2x16 %a\n%f = OpCompositeExtract %f32 %v 1\n"
              "%r = OpBitcast %u32 %f\n",
              0x3C000000, 0x3F800000},
             {"%v = OpExtInst %v4f32 %glsl UnpackSnorm4x8 %a\n%f = OpCompositeExtract %f32 %v 3\n"
              "%r = OpBitcast %u32 %f\n",
              0x80000000, 0xBF800000},
             // (3/4, 1) is 5/4 long.
             {vector + "%n = OpExtInst %v2f32 %glsl Normalize %v\n"
                       "%s = OpCompositeExtract %f32 %n 0\n%r = OpBitcast %u32 %s\n",
              0x3F400000, 0x3F19999A},
             {vector + "%s = OpExtInst %f32 %glsl Length %v\n%r = OpBitcast %u32 %s\n", 0,
              0x3F800000},
             {"%f = OpBitcast %f32 %a\n%s = OpExtInst %split %glsl FrexpStruct %f\n"
              "%r = OpCompositeExtract %u32 %s 1\n",
              0x41000000, 4},  // 8 = 0.5 * 2^4
         }) {
        ShaderText text;
        text.localSize = 1;
        text.declarations = "%split = OpTypeStruct %f32 %u32\n";
        text.body = loadWord("%a", "%u_0") + c.code + storeWord("%u_0", "%r");
        Execution r;
        r.lanes = 4;
        r.buffers[0] = {c.a};
        r.buffers[1] = {0};
        execute(r, shader(text));
        ASSERT_EQ(r.error, "") << c.code;
        EXPECT_EQ(r.buffers[1][0], c.expected) << c.code;
    }
}

// The inverse of ((2, 0), (0, 4)), and the determinant.
TEST(ReferenceGlsl, Matrices) {
    ShaderText text;
    text.localSize = 1;
    text.declarations =
        "%mat = OpTypeMatrix %v2f32 2\n%f_2 = OpConstant %f32 2\n%f_4 = OpConstant %f32 4\n";
    text.body =
        "%c0 = OpCompositeConstruct %v2f32 %f_2 %f_0\n%c1 = OpCompositeConstruct %v2f32 %f_0 %f_4\n"
        "%m = OpCompositeConstruct %mat %c0 %c1\n"
        "%n = OpExtInst %mat %glsl MatrixInverse %m\n%e = OpCompositeExtract %f32 %n 1 1\n"
        "%r = OpBitcast %u32 %e\n%d = OpExtInst %f32 %glsl Determinant %m\n%q = OpBitcast %u32 "
        "%d\n" +
        storeWord("%u_0", "%r") + storeWord("%u_1", "%q");
    Execution r;
    r.lanes = 4;
    r.buffers[0] = {0};
    r.buffers[1] = {0, 0};
    execute(r, shader(text));
    EXPECT_EQ(r.error, "");
    EXPECT_EQ(floatOf(r.buffers[1][0]), 0.25f);
    EXPECT_EQ(floatOf(r.buffers[1][1]), 8.0f);
}

// With columns (1, 2, 3), (0, 1, 4) and (5, 6, 0) the determinant is 1 and the inverse has the
// columns
// (-24, 18, 5), (20, -15, -4) and (-5, 4, 1). Infinities are those of a d - b c: with (-inf, 1) and
// (inf, 1) both products are -inf.
TEST(ReferenceGlsl, LargerMatricesAndInfinities) {
    ShaderText text;
    text.localSize = 1;
    text.declarations = "%mat3 = OpTypeMatrix %v3f32 3\n%mat2 = OpTypeMatrix %v2f32 2\n";
    for (const char* n : {"2", "3", "4", "5", "6"})
        text.declarations += std::string("%f_") + n + " = OpConstant %f32 " + n + "\n";
    text.declarations += "%inf = OpConstant %f32 0x1p+128\n%less = OpConstant %f32 -0x1p+128\n";
    text.body =
        "%c0 = OpCompositeConstruct %v3f32 %f_1 %f_2 %f_3\n"
        "%c1 = OpCompositeConstruct %v3f32 %f_0 %f_1 %f_4\n"
        "%c2 = OpCompositeConstruct %v3f32 %f_5 %f_6 %f_0\n"
        "%m = OpCompositeConstruct %mat3 %c0 %c1 %c2\n%n = OpExtInst %mat3 %glsl MatrixInverse %m\n"
        "%i0 = OpCompositeConstruct %v2f32 %less %f_1\n%i1 = OpCompositeConstruct %v2f32 %inf "
        "%f_1\n"
        "%im = OpCompositeConstruct %mat2 %i0 %i1\n";
    const char* values[] = {"CompositeExtract %f32 %n 0 0", "CompositeExtract %f32 %n 0 1",
                            "CompositeExtract %f32 %n 1 2", "ExtInst %f32 %glsl Determinant %m",
                            "ExtInst %f32 %glsl Determinant %im"};
    for (size_t n = 0; n < std::size(values); ++n) {
        const std::string id = std::to_string(n);
        text.body += "%x" + id + " = Op" + values[n] + "\n%y" + id + " = OpBitcast %u32 %x" + id +
                     "\n" + storeWord("%u_" + id, "%y" + id);
    }
    Execution r;
    r.lanes = 4;
    r.buffers[0] = {0};
    r.buffers[1].resize(std::size(values));
    execute(r, shader(text));
    EXPECT_EQ(r.error, "");
    const float expected[] = {-24, 18, -4, 1, -INFINITY};
    for (size_t n = 0; n < std::size(values); ++n)
        EXPECT_EQ(floatOf(r.buffers[1][n]), expected[n]) << values[n];
}

// The second result goes through a pointer, to a variable or to a buffer.
TEST(ReferenceGlsl, PartsThroughPointers) {
    ShaderText text;
    text.localSize = 1;
    text.declarations = "%p_function_f32 = OpTypePointer Function %f32\n";
    text.body =
        "%whole = OpVariable %p_function_f32 Function\n" + loadWord("%a", "%u_0") +
        "%f = OpBitcast %f32 %a\n%rest = OpExtInst %f32 %glsl Modf %f %whole\n"
        "%w = OpLoad %f32 %whole\n%r0 = OpBitcast %u32 %rest\n%r1 = OpBitcast %u32 %w\n"
        "%at = OpAccessChain %p_word %out %u_0 %u_3\n"
        "%significand = OpExtInst %f32 %glsl Frexp %f %at\n%r2 = OpBitcast %u32 %significand\n" +
        storeWord("%u_0", "%r0") + storeWord("%u_1", "%r1") + storeWord("%u_2", "%r2");
    Execution r;
    r.lanes = 4;
    r.buffers[0] = {bitsOf(-5.25f)};
    r.buffers[1] = {0, 0, 0, 0};
    execute(r, shader(text));
    ASSERT_EQ(r.error, "");
    EXPECT_TRUE(r.reports.empty());
    EXPECT_EQ(floatOf(r.buffers[1][0]), -0.25f);
    EXPECT_EQ(floatOf(r.buffers[1][1]), -5.0f);
    EXPECT_EQ(floatOf(r.buffers[1][2]), -0.65625f);  // -5.25 = -0.65625 * 2^3
    EXPECT_EQ(r.buffers[1][3], 3u);
}

}  // namespace
}  // namespace coopvk::reference::test::glsl_test
