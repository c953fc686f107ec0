// SPDX-License-Identifier: Apache-2.0
//
// Instructions on vectors of 4-bit integers, executed on the reference device: a component is four
// bits, the lowest one first.
#include <gtest/gtest.h>

#include <format>
#include <functional>

#include "coopvk/rewrite.hpp"
#include "execution/shader_text.hpp"

namespace coopvk::judge::int4_values_test {
namespace {

constexpr uint32_t kFirst = 0xFEDCBA98, kSecond = 0x13579BDF;

uint32_t unsignedAt(uint32_t word, uint32_t c) { return word >> 4 * c & 15; }
uint32_t signedAt(uint32_t word, uint32_t c) {
    return unsignedAt(word, c) < 8 ? unsignedAt(word, c) : unsignedAt(word, c) - 16;
}

// %a and %b are vectors of eight, %sa one of signed integers with %a's bits, %n is 5. Each row
// makes %r, and gives its components as u32 or s32.
struct Row {
    std::string_view code, type;  // of %r
    uint32_t components;
    std::function<uint32_t(uint32_t)> expected;
};

const Row kRows[] = {
    {"%r = OpCompositeConstructReplicateEXT %u4x8 %a3", "%u4x8", 8,
     [](uint32_t) { return unsignedAt(kFirst, 3); }},
    {"%r = OpCompositeConstruct %u4x4 %a3 %b_2 %a6", "%u4x4", 4,
     [](uint32_t c) {
         const uint32_t all[] = {unsignedAt(kFirst, 3), unsignedAt(kSecond, 0),
                                 unsignedAt(kSecond, 1), unsignedAt(kFirst, 6)};
         return all[c];
     }},
    {"%r = OpVectorShuffle %u4x4 %a %b 7 8 0 15", "%u4x4", 4,
     [](uint32_t c) {
         const uint32_t from[] = {7, 8, 0, 15};
         return unsignedAt(from[c] < 8 ? kFirst : kSecond, from[c] % 8);
     }},
    {"%r = OpCompositeInsert %u4x8 %a3 %b 6", "%u4x8", 8,
     [](uint32_t c) { return c == 6 ? unsignedAt(kFirst, 3) : unsignedAt(kSecond, c); }},
    {"%r = OpVectorInsertDynamic %u4x8 %b %a3 %n", "%u4x8", 8,
     [](uint32_t c) { return c == 5 ? unsignedAt(kFirst, 3) : unsignedAt(kSecond, c); }},
    {"%one = OpVectorExtractDynamic %u4 %a %n\n%r = OpCompositeConstruct %u4x2 %one %a3", "%u4x2",
     2, [](uint32_t c) { return unsignedAt(kFirst, c == 0 ? 5 : 3); }},
    {"%r = OpCompositeExtract %s4 %sa 7", "%s4", 1, [](uint32_t) { return signedAt(kFirst, 7); }},
    {"%r = OpBitcast %s4 %a3", "%s4", 1, [](uint32_t) { return signedAt(kFirst, 3); }},
    {"%r = OpCopyObject %s4x8 %sa", "%s4x8", 8, [](uint32_t c) { return signedAt(kFirst, c); }},
    {"%r = OpBitcast %u4x8 %sa", "%u4x8", 8, [](uint32_t c) { return unsignedAt(kFirst, c); }},
    {"%r = OpUConvert %u4x2 %small", "%u4x2", 2, [](uint32_t c) { return c == 0 ? 9u : 14u; }},
    {"%r = OpSConvert %s4x2 %small", "%s4x2", 2, [](uint32_t c) { return c == 0 ? ~6u : ~1u; }},
    {"%r = OpConstantNull %u4x8", "%u4x8", 8, [](uint32_t) { return 0u; }},
    {"%r = OpConstantComposite %u4x4 %c9 %none %c9 %none", "%u4x4", 4,
     [](uint32_t c) { return c % 2 == 0 ? 9u : 0u; }},
    {"%r = OpConstantCompositeReplicateEXT %s4x4 %minus", "%s4x4", 4, [](uint32_t) { return ~4u; }},
    {"%r = OpSelect %u4x2 %yes_no %a_2 %b_2", "%u4x2", 2,
     [](uint32_t c) { return unsignedAt(c == 0 ? kFirst : kSecond, c); }},
    {"%r = OpSelect %u4x2 %false %a_2 %b_2", "%u4x2", 2,
     [](uint32_t c) { return unsignedAt(kSecond, c); }},
};

std::string moduleOf(const Row& row) {
    const bool isConstant = row.code.starts_with("%r = OpConstant");
    reference::test::ShaderText text;
    text.localSize = 1;
    text.capabilities =
        "OpCapability Int4TypeINTEL\nOpCapability Vector16\n"
        "OpCapability ReplicatedCompositesEXT\nOpExtension \"SPV_INTEL_int4\"\n"
        "OpExtension \"SPV_EXT_replicated_composites\"\n";
    text.declarations =
        "%u4 = OpTypeInt 4 0\n%s4 = OpTypeInt 4 1\n%u4x2 = OpTypeVector %u4 2\n"
        "%u4x4 = OpTypeVector %u4 4\n%u4x8 = OpTypeVector %u4 8\n%s4x2 = OpTypeVector %s4 2\n"
        "%s4x4 = OpTypeVector %s4 4\n%s4x8 = OpTypeVector %s4 8\n"
        "%bools = OpTypeVector %bool 2\n%yes_no = OpConstantComposite %bools %true %false\n"
        "%c9 = OpConstant %u4 9\n%none = OpConstantNull %u4\n%minus = OpConstant %s4 -5\n" +
        (isConstant ? std::string(row.code) + "\n" : "");
    text.body = reference::test::loadWord("%wa", "%u_0") +
                reference::test::loadWord("%wb", "%u_1") + reference::test::loadWord("%n", "%u_2") +
                reference::test::loadWord("%x", "%u_3") + reference::test::loadWord("%y", "%u_4") +
                "%small = OpCompositeConstruct %v2u32 %x %y\n%a = OpBitcast %u4x8 %wa\n"
                "%b = OpBitcast %u4x8 %wb\n%sa = OpBitcast %s4x8 %wa\n"
                "%a3 = OpCompositeExtract %u4 %a 3\n%a6 = OpCompositeExtract %u4 %a 6\n"
                "%a_2 = OpVectorShuffle %u4x2 %a %a 0 1\n%b_2 = OpVectorShuffle %u4x2 %b %b 0 1\n" +
                (isConstant ? "" : std::string(row.code) + "\n");
    const bool isSigned = row.type.starts_with("%s");
    for (uint32_t c = 0; c < row.components; ++c) {
        const std::string part = row.components == 1 ? "%r" : std::format("%r_{}", c);
        if (row.components != 1)
            text.body += std::format("{} = OpCompositeExtract {} %r {}\n", part,
                                     isSigned ? "%s4" : "%u4", c);
        text.body += isSigned ? std::format(
                                    "%wide_{0} = OpSConvert %s32 {1}\n"
                                    "%z{0} = OpBitcast %u32 %wide_{0}\n",
                                    c, part)
                              : std::format("%z{} = OpUConvert %u32 {}\n", c, part);
        text.body += reference::test::storeWord(std::format("%u_{}", c), std::format("%z{}", c));
    }
    return shader(text);
}

TEST(Int4Values, AreFourBits) {
    for (const Row& row : kRows) {
        reference::test::Execution execution;
        execution.buffers[0] = {kFirst, kSecond, 5, 0xFFFFFFF9, 0x1E};
        execution.buffers[1].assign(8, 0xDEADBEEF);
        std::vector<uint32_t> expected = execution.buffers[1];
        for (uint32_t c = 0; c < row.components; ++c) expected[c] = row.expected(c);
        const auto words = reference::test::assemble(moduleOf(row));
        const auto rewritten = rewrite::rewrite({.words = words}, rewrite::Target{});
        ASSERT_TRUE(rewritten) << row.code << rewritten.error().message;
        execute(execution, rewritten->words);
        EXPECT_EQ(execution.error, "") << row.code;
        EXPECT_EQ(execution.buffers.at(1), expected) << row.code;
    }
}

}  // namespace
}  // namespace coopvk::judge::int4_values_test
