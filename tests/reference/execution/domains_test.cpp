// SPDX-License-Identifier: Apache-2.0
//
// Which results of instructions on integers are undefined, and are reported where they are used:
// each pair of numbers at the ends of a width.
#include <gtest/gtest.h>

#include "shader_text.hpp"

namespace coopvk::reference::test::domains_test {
namespace {

// Operands are numbers of a width, as 64 bits with and without a sign.
struct Given {
    uint32_t width;
    uint64_t a, b;
    int64_t sa, sb;
    int64_t lowest() const { return -1 - int64_t((uint64_t{1} << (width - 1)) - 1); }
};
struct Row {
    const char* code;
    bool (*isUndefined)(const Given&);
    bool hasMaintenance8 = false;
};
bool isOutside(const Given& g) { return g.a > g.width || g.b > g.width || g.a + g.b > g.width; }
bool isTooFar(const Given& g) { return g.b >= g.width; }

bool overflows(const Given& g) { return g.sb == 0 || (g.sb == -1 && g.sa == g.lowest()); }

const Row kRows[] = {
    {"OpIAdd %T %a %b", [](const Given&) { return false; }},
    {"OpIMul %T %a %b", [](const Given&) { return false; }},
    // SPIR-V: "if Operand 2 is 0", "or if ... overflow".
    {"OpUDiv %T %a %b", [](const Given& g) { return g.b == 0; }},
    {"OpUMod %T %a %b", [](const Given& g) { return g.b == 0; }},
    {"OpSDiv %T %a %b", overflows},
    // Vulkan, appendix "Vulkan Environment for SPIR-V": if one of the operands is negative.
    {"OpSRem %T %a %b", [](const Given& g) { return g.sb <= 0 || g.sa < 0; }},
    {"OpSMod %T %a %b", [](const Given& g) { return g.sb <= 0 || g.sa < 0; }},
    // VK_KHR_maintenance8: as SPIR-V says, "if Operand 2 is 0", or "-1 and Operand 1 is the
    // minimum".
    {"OpSRem %T %a %b", overflows, true},
    {"OpSMod %T %a %b", overflows, true},
    {"OpShiftLeftLogical %T %a %b", isTooFar},
    {"OpShiftRightLogical %T %a %b", isTooFar},
    {"OpShiftRightArithmetic %T %a %b", isTooFar},
    {"OpBitFieldInsert %T %three %three %a %b", isOutside},
    {"OpBitFieldSExtract %T %three %a %b", isOutside},
    {"OpBitFieldUExtract %T %three %a %b", isOutside},
};

std::string textOf(const Row& row, uint32_t width) {
    const std::string type = "%u" + std::to_string(width);
    ShaderText text;
    text.localSize = 1;
    text.declarations = "%three = OpConstant " + type + " 3\n";
    for (const char* name : {"%a", "%b"}) {
        const std::string id = name;
        text.body += loadWord(id + "l", id == "%a" ? "%u_0" : "%u_2") +
                     loadWord(id + "h", id == "%a" ? "%u_1" : "%u_3") + id +
                     "w = OpCompositeConstruct %v2u32 " + id + "l " + id + "h\n" + id +
                     "x = OpBitcast %u64 " + id + "w\n" + id +
                     (width == 64 ? " = OpCopyObject " : " = OpUConvert ") + type + " " + id +
                     "x\n";
    }
    std::string code = row.code;
    code.replace(code.find("%T"), 2, type);
    text.body += "%x = " + code + "\n%r = " + (width == 32 ? "OpCopyObject" : "OpUConvert") +
                 " %u32 %x\n" + storeWord("%u_0", "%r");
    return shader(text);
}

class Domains : public testing::TestWithParam<uint32_t> {};

TEST_P(Domains, OfIntegersEnd) {
    const uint32_t width = GetParam();
    const uint64_t top = uint64_t{1} << (width - 1), ones = top * 2 - 1;
    const uint64_t numbers[] = {0,       1,   width / 2, width - 1, width, width + 1,
                                top - 1, top, top + 1,   ones - 1,  ones};
    const auto withSign = [&](uint64_t bits) {
        return int64_t(bits >= top ? bits - top - top : bits);
    };
    for (const Row& row : kRows) {
        const std::vector<uint32_t> words = assemble(textOf(row, width));
        for (const uint64_t a : numbers)
            for (const uint64_t b : numbers) {
                Execution r;
                r.hasMaintenance8 = row.hasMaintenance8;
                r.validate = false;  // some instructions are not for each width in Vulkan
                r.buffers[0] = {uint32_t(a), uint32_t(a >> 32), uint32_t(b), uint32_t(b >> 32)};
                r.buffers[1] = {0};
                execute(r, words);
                ASSERT_EQ(r.error, "") << row.code;
                const bool expected = row.isUndefined({width, a, b, withSign(a), withSign(b)});
                EXPECT_EQ(r.reports.empty(), !expected) << row.code << ": " << a << ", " << b;
            }
    }
}

INSTANTIATE_TEST_SUITE_P(Reference, Domains, testing::Values(8, 32, 64),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace coopvk::reference::test::domains_test
