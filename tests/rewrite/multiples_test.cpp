// SPDX-License-Identifier: Apache-2.0
//
// Which powers of two divide what a module computes: as many as divide it for each of many inputs.
#include "ir/multiples.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <format>
#include <random>

#include "assemble.hpp"

namespace coopvk::rewrite::multiples_test {
namespace {

// Defines %r, which has the name "r". %x and %y are words of a buffer, %n is the number of the
// invocation.
struct Computed {
    std::string_view name, text;
    uint32_t (*value)(uint32_t x, uint32_t y, uint32_t n);
    std::string_view functions = "";
};

std::string moduleOf(const Computed& computed) {
    std::string constants;
    for (const int c : {0, 1, 2, 3, 4, 6, 8, 12, 16, 64, 128})
        constants += std::format("%c{} = OpConstant %u32 {}\n", c, c);
    return std::format(R"(
OpCapability Shader
OpCapability Int64
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %buffer %index
OpExecutionMode %main LocalSize 32 1 1
OpName %r "r"
OpDecorate %index BuiltIn LocalInvocationIndex
OpDecorate %words ArrayStride 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %buffer DescriptorSet 0
OpDecorate %buffer Binding 0
%void = OpTypeVoid
%f = OpTypeFunction %void
%bool = OpTypeBool
%u32 = OpTypeInt 32 0
%s32 = OpTypeInt 32 1
%u64 = OpTypeInt 64 0
%f32 = OpTypeFloat 32
%pair = OpTypeVector %u32 2
%of_word = OpTypeFunction %u32 %u32
%words = OpTypeRuntimeArray %u32
%block = OpTypeStruct %words
%to_block = OpTypePointer StorageBuffer %block
%to_word = OpTypePointer StorageBuffer %u32
%local = OpTypePointer Function %u32
%input = OpTypePointer Input %u32
%buffer = OpVariable %to_block StorageBuffer
%index = OpVariable %input Input
{}%null = OpConstantNull %u32
%true = OpConstantTrue %bool
%constants = OpConstantComposite %pair %c12 %c8
%main = OpFunction %void None %f
%start = OpLabel
%held = OpVariable %local Function
%n = OpLoad %u32 %index
%to_x = OpAccessChain %to_word %buffer %c0 %c0
%x = OpLoad %u32 %to_x
%to_y = OpAccessChain %to_word %buffer %c0 %c1
%y = OpLoad %u32 %to_y
%odd = OpIEqual %bool %y %c1
%x2 = OpIMul %u32 %x %c2
%x4 = OpIMul %u32 %x %c4
%x16 = OpIMul %u32 %x %c16
%y6 = OpIMul %u32 %y %c6
%y8 = OpIMul %u32 %y %c8
{}
OpReturn
OpFunctionEnd
{})",
                       constants, computed.text, computed.functions);
}

uint32_t foundIn(const Computed& computed, Multiples::Unknown unknown) {
    const std::vector<uint32_t> words = test::assemble(moduleOf(computed));
    const Result<Module> module = Module::parse(words);
    EXPECT_TRUE(module) << computed.name;
    constexpr uint32_t kName = 'r';  // with its end
    for (size_t at = 5; module && at + 2 < words.size(); at += words[at] >> 16)
        if ((words[at] & 0xFFFF) == uint32_t(spv::Op::OpName) && words[at + 2] == kName)
            return Multiples(*module, unknown).of(words[at + 1]);
    ADD_FAILURE() << computed.name;
    return 0;
}

// The largest power of two up to 64 that divides all of many values.
uint32_t dividing(const Computed& computed, uint32_t unit) {
    std::mt19937 random(7);
    uint32_t all = 64;
    for (int i = 0; i < 2000; ++i) {
        const auto word = [&] { return uint32_t(random()) >> random() % 32; };
        const uint32_t x = word() * unit, y = word() * unit;
        all |= computed.value(x, y, random() % 32);
    }
    return 1u << std::countr_zero(all);
}

const Computed kComputed[] = {
    {"Unknown", "%r = OpCopyObject %u32 %x", [](auto x, auto, auto) { return x; }},
    {"Number", "%r = OpCopyObject %u32 %n", [](auto, auto, auto n) { return n; }},
    {"Constant", "%r = OpCopyObject %u32 %c12", [](auto, auto, auto) { return 12u; }},
    {"LargeConstant", "%r = OpCopyObject %u32 %c128", [](auto, auto, auto) { return 128u; }},
    {"Null", "%r = OpCopyObject %u32 %null", [](auto, auto, auto) { return 0u; }},
    {"Product", "%r = OpIMul %u32 %x4 %y6", [](auto x, auto y, auto) { return x * 4 * y * 6; }},
    {"ProductOfNumber", "%r = OpIMul %u32 %n %c12", [](auto, auto, auto n) { return n * 12; }},
    {"Sum", "%r = OpIAdd %u32 %x16 %y6", [](auto x, auto y, auto) { return x * 16 + y * 6; }},
    {"SumWithNumber", "%a = OpIMul %u32 %n %c4\n%r = OpIAdd %u32 %a %x16",
     [](auto x, auto, auto n) { return x * 16 + n * 4; }},
    {"SumWithConstant", "%r = OpIAdd %u32 %c12 %x16",
     [](auto x, auto, auto) { return x * 16 + 12; }},
    {"Difference", "%r = OpISub %u32 %y8 %x4", [](auto x, auto y, auto) { return y * 8 - x * 4; }},
    {"Or", "%r = OpBitwiseOr %u32 %y8 %x4", [](auto x, auto y, auto) { return y * 8 | x * 4; }},
    {"Xor", "%r = OpBitwiseXor %u32 %x16 %y8", [](auto x, auto y, auto) { return x * 16 ^ y * 8; }},
    {"And", "%r = OpBitwiseAnd %u32 %x4 %y8", [](auto x, auto y, auto) { return x * 4 & y * 8; }},
    {"Modulo", "%r = OpUMod %u32 %x16 %c12", [](auto x, auto, auto) { return x * 16 % 12; }},
    {"Negated", "%r = OpSNegate %u32 %x4", [](auto x, auto, auto) { return 0 - x * 4; }},
    {"Selected", "%r = OpSelect %u32 %odd %x4 %y8",
     [](auto x, auto y, auto) { return y == 1 ? x * 4 : y * 8; }},
    {"SelectedConstants", "%r = OpSelect %u32 %odd %c8 %c12",
     [](auto, auto y, auto n) { return n % 2 == 0 || y == 1 ? 8u : 12u; }},
    {"Left", "%r = OpShiftLeftLogical %u32 %x2 %c3", [](auto x, auto, auto) { return x * 2 << 3; }},
    {"NumberLeft", "%r = OpShiftLeftLogical %u32 %n %c3",
     [](auto, auto, auto n) { return n << 3; }},
    {"Wide", "%a = OpUConvert %u64 %x4\n%b = OpSConvert %u32 %a\n%r = OpBitcast %s32 %b",
     [](auto x, auto, auto) { return x * 4; }},
    {"Constructed", "%p = OpCompositeConstruct %pair %x4 %y8\n%r = OpCompositeExtract %u32 %p 0",
     [](auto x, auto, auto) { return x * 4; }},
    {"OneOfConstants", "%r = OpCompositeExtract %u32 %constants 0",
     [](auto, auto, auto) { return 12u; }},
    {"Shuffled",
     "%p = OpCompositeConstruct %pair %x16 %y8\n%q = OpVectorShuffle %pair %p %constants 1 2\n"
     "%r = OpVectorExtractDynamic %u32 %q %n",
     [](auto, auto y, auto n) { return n % 2 == 0 ? y * 8 : 12; }},
    {"Loop",
     "OpBranch %head\n%head = OpLabel\n%r = OpPhi %u32 %c64 %start %next %head\n"
     "%next = OpIAdd %u32 %r %c12\n%more = OpULessThan %bool %next %x\n"
     "OpLoopMerge %end %head None\nOpBranchConditional %more %head %end\n%end = OpLabel",
     [](auto, auto, auto n) { return 64 + n * 12; }},
    {"Variable", "OpStore %held %c12\nOpStore %held %x16\n%r = OpLoad %u32 %held",
     [](auto x, auto, auto n) { return n % 2 == 0 ? 12 : x * 16; }},
};
TEST(Multiples, OfWhatIsComputed) {
    for (const Computed& computed : kComputed)
        EXPECT_EQ(foundIn(computed, Multiples::Unknown::kAnything), dividing(computed, 1))
            << computed.name;
}

TEST(Multiples, WhereInputsAreMultiples) {
    for (const Computed& computed : kComputed)
        EXPECT_EQ(foundIn(computed, Multiples::Unknown::kMultiples), dividing(computed, 64))
            << computed.name;
}

// These lose what was divided away.
const Computed kDivided[] = {
    {"Right", "%r = OpShiftRightLogical %u32 %x16 %c2",
     [](auto x, auto, auto) { return x * 16 >> 2; }},
    {"RightBeyond", "%r = OpShiftRightLogical %u32 %x4 %c3",
     [](auto x, auto, auto) { return x * 4 >> 3; }},
    {"RightByAny", "%r = OpShiftRightLogical %u32 %x4 %y",
     [](auto x, auto y, auto) { return x * 4 >> y % 32; }},
    {"Arithmetic", "%r = OpShiftRightArithmetic %u32 %x16 %c1",
     [](auto x, auto, auto) { return uint32_t(int32_t(x * 16) >> 1); }},
    {"Quotient", "%r = OpUDiv %u32 %x16 %c8", [](auto x, auto, auto) { return x * 16 / 8; }},
    {"OtherQuotient", "%r = OpUDiv %u32 %x16 %c6", [](auto x, auto, auto) { return x * 16 / 6; }},
    {"SignedQuotient", "%r = OpSDiv %u32 %x16 %c4",
     [](auto x, auto, auto) { return uint32_t(int32_t(x * 16) / 4); }},
};
TEST(Multiples, OfQuotients) {
    for (const Computed& computed : kDivided)
        EXPECT_EQ(foundIn(computed, Multiples::Unknown::kAnything), dividing(computed, 1))
            << computed.name;
}

// A parameter may be each argument of its calls; its other arguments do not matter.
TEST(Multiples, OfParameters) {
    const auto called = [](std::string_view calls) {
        return Computed{"Called", calls, nullptr,
                        "%function = OpFunction %u32 None %of_word\n%r = OpFunctionParameter %u32\n"
                        "%first = OpLabel\nOpReturnValue %r\nOpFunctionEnd\n"};
    };
    const auto found = [&](std::string_view calls) {
        return foundIn(called(calls), Multiples::Unknown::kMultiples);
    };
    EXPECT_EQ(found(""), 64u);
    EXPECT_EQ(found("%a = OpFunctionCall %u32 %function %x"), 64u);
    EXPECT_EQ(found("%a = OpFunctionCall %u32 %function %c8"), 8u);
    EXPECT_EQ(found("%a = OpFunctionCall %u32 %function %c8\n"
                    "%b = OpFunctionCall %u32 %function %c12"),
              4u);
    EXPECT_EQ(
        foundIn(called("%a = OpFunctionCall %u32 %function %c8"), Multiples::Unknown::kAnything),
        1u);
}

}  // namespace
}  // namespace coopvk::rewrite::multiples_test
