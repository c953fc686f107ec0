// SPDX-License-Identifier: Apache-2.0
//
// Messages of NonSemantic.DebugPrintf.
#include <gtest/gtest.h>

#include "planted.hpp"

namespace coopvk::reference::test::prints_test {
namespace {

TEST(ReferencePrints, NumbersAndVectors) {
    ShaderText text = plainText(
        "%f = OpConvertUToF %f32 %i\n%v = OpCompositeConstruct %v2f32 %f %f_1\n"
        "%p = OpExtInst %void %printf 1 %format %i %v\n",
        2);
    text.capabilities =
        "OpExtension \"SPV_KHR_non_semantic_info\"\n"
        "%printf = OpExtInstImport \"NonSemantic.DebugPrintf\"\n";
    std::string module = shader(text);
    const std::string before = "OpDecorate %index BuiltIn";
    module.insert(module.find(before), "%format = OpString \"100%% %04u: %v2.1f\"\n");
    Execution r;
    r.lanes = 4;
    r.buffers[0].resize(1);
    r.buffers[1].resize(1);
    execute(r, module);
    EXPECT_EQ(r.error, "");
    EXPECT_EQ(r.prints, (std::vector<std::string>{"100% 0000: 0.0, 1.0", "100% 0001: 1.0, 1.0"}));
}

struct Row {
    const char *format, *value, *text;
};
constexpr Row kRows[] = {{"%d", "%minus", "-3"},
                         {"%i|", "%minus", "-3|"},
                         {"%u", "%minus", "4294967293"},
                         {"%x", "%minus", "fffffffd"},
                         {"%X", "%minus", "FFFFFFFD"},
                         {"%o", "%u_9", "11"},
                         {"%#x", "%u_15", "0xf"},
                         {"%+d", "%u_9", "+9"},
                         {"% d", "%u_9", " 9"},
                         {"%-4d|", "%u_9", "9   |"},
                         {"%4d", "%u_9", "   9"},
                         {"%lu", "%long", "4294967297"},
                         {"%lx", "%long", "100000001"},
                         {"%llu", "%long", "4294967297"},
                         {"%ul", "%long", "4294967297"},
                         {"%d", "%small", "-1"},
                         {"%u", "%small", "255"},
                         {"%f", "%half", "0.500000"},
                         {"%.1f", "%half", "0.5"},
                         {"%e", "%half", "5.000000e-01"},
                         {"%E", "%half", "5.000000E-01"},
                         {"%g", "%half", "0.5"},
                         {"%G", "%half", "0.5"},
                         {"%a", "%half", "0x1p-1"},
                         {"%A", "%half", "0X1P-1"},
                         {"%F", "%half", "0.500000"},
                         {"%v2u", "%both", "7, 9"},
                         {"%v2d!", "%both", "7, 9!"},
                         {"%02v2u", "%both", "07, 09"},
                         {"%v3u", "%both", ""},
                         {"%f", "%u_9", ""},
                         {"%d", "%half", ""},
                         {"%s", "%u_9", ""},
                         {"%%%d", "%u_9", "%9"},
                         {"%%d", "%u_9", "%d"},
                         {"%", "%u_9", ""},
                         {"%d %d", "%u_9", "9 "},
                         {"none", "%u_9", "none"}};

// C's conversions, as many components as "v" says; a long one; what does not fit has no text.
TEST(ReferencePrints, EachConversion) {
    std::string calls, strings;
    std::vector<std::string> expected;
    for (const Row& row : kRows) {
        const std::string id = "%text" + std::to_string(expected.size());
        strings += id + " = OpString \"" + row.format + "\"\n";
        calls += "%call" + std::to_string(expected.size()) + " = OpExtInst %void %printf 1 " + id +
                 " " + row.value + "\n";
        expected.push_back(row.text);
    }
    ShaderText text = plainText(calls, 1);
    text.declarations +=
        "%minus = OpConstant %s32 -3\n%long = OpConstant %u64 4294967297\n%small = OpConstant %s8 "
        "-1\n"
        "%half = OpConstant %f32 0.5\n%both = OpConstantComposite %v2u32 %u_7 %u_9\n";
    text.capabilities =
        "OpExtension \"SPV_KHR_non_semantic_info\"\n"
        "%printf = OpExtInstImport \"NonSemantic.DebugPrintf\"\n";
    std::string module = shader(text);
    module.insert(module.find("OpDecorate %index BuiltIn"), strings);
    Execution r;
    execute(r, module);
    EXPECT_EQ(r.error, "");
    EXPECT_EQ(r.prints, expected);
}

}  // namespace
}  // namespace coopvk::reference::test::prints_test
