// SPDX-License-Identifier: Apache-2.0
//
// Proofs of programs that GLSL cannot write.
#include <gtest/gtest.h>

#include "symbol_pairs.hpp"

namespace coopvk::reference::symbols_test {
namespace {

using numbers::Number;

// Each of 4 lanes stores %u. %i is a word of memory, %z a 0 that is no constant for a compiler.
#define MODULE(CAPABILITIES, BODY)                                              \
    "OpCapability Shader\nOpCapability Int8\nOpCapability Int16\n" CAPABILITIES \
    "%std = OpExtInstImport \"GLSL.std.450\"\n"                                 \
    "OpMemoryModel Logical GLSL450\n"                                           \
    "OpEntryPoint GLCompute %main \"main\" %at %a %r\n"                         \
    "OpExecutionMode %main LocalSize 4 1 1\n"                                   \
    "OpDecorate %at BuiltIn LocalInvocationIndex\n"                             \
    "OpDecorate %a DescriptorSet 0\n"                                           \
    "OpDecorate %a Binding 0\n"                                                 \
    "OpDecorate %r DescriptorSet 0\n"                                           \
    "OpDecorate %r Binding 1\n"                                                 \
    "OpDecorate %words ArrayStride 4\n"                                         \
    "OpDecorate %block Block\n"                                                 \
    "OpMemberDecorate %block 0 Offset 0\n"                                      \
    "%void = OpTypeVoid\n"                                                      \
    "%fn = OpTypeFunction %void\n"                                              \
    "%u8 = OpTypeInt 8 0\n"                                                     \
    "%u16 = OpTypeInt 16 0\n"                                                   \
    "%u32 = OpTypeInt 32 0\n"                                                   \
    "%s32 = OpTypeInt 32 1\n"                                                   \
    "%f32 = OpTypeFloat 32\n"                                                   \
    "%c0 = OpConstant %u32 0\n"                                                 \
    "%infinity = OpConstant %u32 0x7F800000\n"                                  \
    "%number = OpConstant %u32 0x40200000\n"                                    \
    "%words = OpTypeRuntimeArray %u32\n"                                        \
    "%block = OpTypeStruct %words\n"                                            \
    "%pBlock = OpTypePointer StorageBuffer %block\n"                            \
    "%pWord = OpTypePointer StorageBuffer %u32\n"                               \
    "%pAt = OpTypePointer Input %u32\n"                                         \
    "%pFloat = OpTypePointer Function %f32\n"                                   \
    "%pInt = OpTypePointer Function %s32\n"                                     \
    "%a = OpVariable %pBlock StorageBuffer\n"                                   \
    "%r = OpVariable %pBlock StorageBuffer\n"                                   \
    "%at = OpVariable %pAt Input\n"                                             \
    "%main = OpFunction %void None %fn\n"                                       \
    "%start = OpLabel\n"                                                        \
    "%whole = OpVariable %pFloat Function\n"                                    \
    "%exponent = OpVariable %pInt Function\n"                                   \
    "%lane = OpLoad %u32 %at\n"                                                 \
    "%z = OpExtInst %u32 %std UMin %lane %c0\n"                                 \
    "%from = OpAccessChain %pWord %a %c0 %lane\n"                               \
    "%i = OpLoad %u32 %from\n" BODY                                             \
    "%to = OpAccessChain %pWord %r %c0 %lane\n"                                 \
    "OpStore %to %u\n"                                                          \
    "OpReturn\n"                                                                \
    "OpFunctionEnd\n"
#define PARTS(INSTRUCTION, OF)                   \
    MODULE("", "%bits = OpBitwiseOr %u32 %z " OF \
               "\n"                              \
               "%x = OpBitcast %f32 %bits\n"     \
               "%part = OpExtInst %f32 %std " INSTRUCTION "\n%u = OpBitcast %u32 %part\n")
#define DOT(TYPE, ADDEND, RESULT)                     \
    MODULE(                                           \
        "OpCapability DotProduct\n"                   \
        "OpCapability DotProductInput4x8BitPacked\n", \
        ADDEND "%sum = OpUDotAccSat " TYPE " %i %i %addend PackedVectorFormat4x8Bit\n" RESULT)
#define NARROW_DOT(TYPE) \
    DOT(TYPE, "%addend = OpUConvert " TYPE " %i\n", "%u = OpUConvert %u32 %sum\n")
#define WIDE_DOT DOT("%u32", "%addend = OpCopyObject %u32 %i\n", "%u = OpCopyObject %u32 %sum\n")

constexpr Pair kPrograms[] = {
    // GLSL 4.60, 8.3, frexp(): "For a floating-point value that is an infinity or is not a number,
    // the significand and exponent are undefined." Of modf() no text says what these give.
    {"parts of infinity", PARTS("Modf %x %whole", "%infinity"),
     PARTS("Modf %x %whole", "%infinity"), false, Number::u32},
    {"parts of a number", PARTS("Modf %x %whole", "%number"), "f = 0.5;", true, Number::u32},
    {"significand of infinity", PARTS("Frexp %x %exponent", "%infinity"),
     PARTS("Frexp %x %exponent", "%infinity"), false, Number::u32},
    {"significand of a number", PARTS("Frexp %x %exponent", "%number"), "f = 0.625;", true,
     Number::u32},
    // SPIR-V, OpUDotAccSat: "If any of the multiplications or additions, with the exception of the
    // final accumulation, overflow or underflow, the result of the instruction is undefined." Four
    // products of bytes need 18 bits.
    {"a saturating dot of 8 bits", NARROW_DOT("%u8"), NARROW_DOT("%u8"), false, Number::u32},
    {"a saturating dot of 16 bits", NARROW_DOT("%u16"), NARROW_DOT("%u16"), false, Number::u32},
    {"a saturating dot of 32 bits", WIDE_DOT, WIDE_DOT, true, Number::u32},
};

class AssemblyProof : public testing::TestWithParam<Pair> {};

TEST_P(AssemblyProof, IsAsTheTextSays) {
    const std::string why = whyNot(GetParam());
    EXPECT_EQ(why.empty(), GetParam().isProved) << GetParam().name << ": " << why;
}

INSTANTIATE_TEST_SUITE_P(All, AssemblyProof, testing::ValuesIn(kPrograms),
                         [](const auto& test) { return wordOf(test.param.name); });

}  // namespace
}  // namespace coopvk::reference::symbols_test
