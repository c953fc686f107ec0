// SPDX-License-Identifier: Apache-2.0
//
// SPV_KHR_bfloat16 and SPV_EXT_float8.
#include <gtest/gtest.h>

#include <cmath>
#include <format>

#include "assemble.hpp"
#include "coopvk/rewrite.hpp"
#include "lowering/number.hpp"

namespace coopvk::rewrite::numbers_test {
namespace {

using enum ComponentType;
constexpr auto kBfloat16 = Extension::kKhrShaderBfloat16;

struct Parts {
    std::string capabilities, decorations, globals, body, functions;
};

// A buffer of a structure with a bfloat16, an E4M3 and an E5M2, and further text.
std::string moduleOf(const Parts& parts) {
    return std::format(R"(
OpCapability Shader
OpCapability Int8
OpCapability Int16
OpCapability StorageBuffer8BitAccess
OpCapability StorageBuffer16BitAccess
OpCapability BFloat16TypeKHR
OpCapability Float8EXT
{}
OpExtension "SPV_KHR_bfloat16"
OpExtension "SPV_EXT_float8"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %buffer
OpExecutionMode %main LocalSize 1 1 1
OpName %bf16 "brain"
OpDecorate %array ArrayStride 8
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpMemberDecorate %block 1 Offset 2
OpMemberDecorate %block 2 Offset 4
OpMemberDecorate %block 3 Offset 16
OpDecorate %buffer DescriptorSet 0
OpDecorate %buffer Binding 0
{}
%void = OpTypeVoid
%f = OpTypeFunction %void
%u32 = OpTypeInt 32 0
%u16 = OpTypeInt 16 0
%u8 = OpTypeInt 8 0
%f32 = OpTypeFloat 32
%bf16 = OpTypeFloat 16 BFloat16KHR
%bf16x2 = OpTypeVector %bf16 2
%bf16x4 = OpTypeVector %bf16 4
%e4m3 = OpTypeFloat 8 Float8E4M3EXT
%e5m2 = OpTypeFloat 8 Float8E5M2EXT
%c0 = OpConstant %u32 0
%c1 = OpConstant %u32 1
%c2 = OpConstant %u32 2
%c3 = OpConstant %u32 3
%array = OpTypeRuntimeArray %bf16x4
%block = OpTypeStruct %bf16 %e4m3 %e5m2 %array
%p_block = OpTypePointer StorageBuffer %block
%p_bf16 = OpTypePointer StorageBuffer %bf16
%p_e4m3 = OpTypePointer StorageBuffer %e4m3
%p_e5m2 = OpTypePointer StorageBuffer %e5m2
%buffer = OpVariable %p_block StorageBuffer
{}
%main = OpFunction %void None %f
%label = OpLabel
%at0 = OpAccessChain %p_bf16 %buffer %c0
%at1 = OpAccessChain %p_e4m3 %buffer %c1
%at2 = OpAccessChain %p_e5m2 %buffer %c2
%x = OpLoad %bf16 %at0
%y = OpLoad %e4m3 %at1
%z = OpLoad %e5m2 %at2
{}
OpReturn
OpFunctionEnd
{}
)",
                       parts.capabilities, parts.decorations, parts.globals, parts.body,
                       parts.functions);
}

Target targetWith(uint32_t nativeBfloat16 = 0) {
    Target target;
    target.nativeFeatures[kBfloat16] = nativeBfloat16;
    return target;
}

Result<Rewritten> run(const Parts& parts, const Target& target = targetWith()) {
    const std::vector<uint32_t> words = test::assemble(moduleOf(parts));
    Request request;
    request.words = words;
    return rewrite(request, target);
}

std::string textOf(const Parts& parts, const Target& target = targetWith()) {
    EXPECT_EQ(validate(test::assemble(moduleOf(parts))), std::nullopt);
    const Result<Rewritten> out = run(parts, target);
    if (!out) {
        ADD_FAILURE() << out.error().message;
        return {};
    }
    EXPECT_EQ(validate(out->words), std::nullopt) << disassemble(out->words);
    EXPECT_TRUE(scan(out->words, target.emulated, target.nativeFeatures).empty());
    return disassemble(out->words);
}

void expectError(const Parts& parts, ErrorCode code, std::string_view what) {
    const Result<Rewritten> out = run(parts);
    ASSERT_FALSE(out);
    EXPECT_EQ(out.error().code, code);
    EXPECT_NE(out.error().message.find(what), std::string::npos) << out.error().message;
}

size_t count(std::string_view text, std::string_view part) {
    size_t found = 0;
    for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++found;
    return found;
}

const Parts kConversions = {.body = R"(
%a = OpFConvert %f32 %x
%b = OpFConvert %e4m3 %x
%c = OpFConvert %e5m2 %a
%d = OpBitcast %u16 %x
%e = OpBitcast %u8 %y
%g = OpConvertFToU %u32 %z
OpStore %at1 %b
OpStore %at2 %c
)"};

TEST(Numbers, NothingOfThemIsLeft) {
    const std::string text = textOf(kConversions);
    for (const char* gone : {"BFloat16", "Float8", "bfloat16", "float8", "brain"}) {
        EXPECT_EQ(text.find(gone), text.npos) << gone << "\n" << text;
    }
}

TEST(Numbers, LayoutsStay) {
    const std::string text = textOf(kConversions);
    for (const char* kept : {"ArrayStride 8", " 0 Offset 0", " 1 Offset 2", " 2 Offset 4",
                             " 3 Offset 16", " Block", "Binding 0"}) {
        EXPECT_NE(text.find(kept), text.npos) << kept;
    }
    EXPECT_NE(text.find("OpTypeStruct %ushort %uchar %uchar %"), text.npos) << text;
}

// A bit cast between types that become one is a copy, and function types that become equal are one.
TEST(Numbers, TypesMeetThoseOfTheModule) {
    const std::string text = textOf({.globals = R"(
%takesFloat = OpTypeFunction %bf16 %bf16
%takesInteger = OpTypeFunction %u16 %u16
)",
                                     .body = R"(
%i = OpBitcast %u16 %x
%r = OpFunctionCall %bf16 %first %x
%s = OpFunctionCall %u16 %second %i
%t = OpBitcast %bf16 %s
OpStore %at0 %t
)",
                                     .functions = R"(
%first = OpFunction %bf16 None %takesFloat
%p1 = OpFunctionParameter %bf16
%l1 = OpLabel
OpReturnValue %p1
OpFunctionEnd
%second = OpFunction %u16 None %takesInteger
%p2 = OpFunctionParameter %u16
%l2 = OpLabel
OpReturnValue %p2
OpFunctionEnd
)"});
    EXPECT_EQ(count(text, "OpBitcast"), 0u);
    EXPECT_EQ(count(text, "= OpTypeFunction"), 2u) << text;
    EXPECT_EQ(count(text, "OpTypeInt 16 0"), 1u);
}

TEST(Numbers, DecorationsOfConversionsGo) {
    const std::string text = textOf({.decorations = R"(
OpDecorate %a SaturatedToLargestFloat8NormalConversionEXT
OpDecorate %a RelaxedPrecision
OpDecorate %b FPRoundingMode RTE
)",
                                     .body = R"(
%w = OpFConvert %f32 %y
%a = OpFConvert %e5m2 %w
%b = OpFConvert %bf16 %w
OpStore %at0 %b
OpStore %at2 %a
)"});
    EXPECT_EQ(text.find("SaturatedTo"), text.npos);
    EXPECT_EQ(text.find("FPRoundingMode"), text.npos);
    EXPECT_NE(text.find("RelaxedPrecision"), text.npos);
    EXPECT_NE(text.find("OpName %f32x1Toe5m2Saturated"), text.npos) << text;
}

// The driver's own type stays, and only the dot product that it lacks is lowered.
TEST(Numbers, TheDriversOwnStays) {
    const Parts dots = {.capabilities = "OpCapability BFloat16DotProductKHR",
                        .globals = "%pair = OpConstantNull %bf16x2",
                        .body =
                            "%v = OpCompositeConstruct %bf16x2 %x %x\n"
                            "%r = OpDot %bf16 %v %pair\nOpStore %at0 %r\n"};
    const std::string kept = textOf(dots, targetWith(1));
    EXPECT_EQ(count(kept, "OpTypeFloat 16 BFloat16KHR"), 1u);
    EXPECT_EQ(count(kept, "OpDot %float "), 1u);
    EXPECT_EQ(count(kept, "OpFConvert"), 2u) << "of v and of the result: the pair is constant";
    EXPECT_EQ(count(kept, "Float8"), 0u);
    const std::string all = textOf(dots, targetWith(3));
    EXPECT_EQ(count(all, "OpDot %brain "), 1u) << all;
    EXPECT_EQ(count(textOf(dots), "OpDot %float "), 1u);
}

TEST(Numbers, OtherInstructionsAreRefused) {
    expectError({.body = "%r = OpFAdd %bf16 %x %x"}, ErrorCode::kInvalidModule,
                "not one of the instructions that may take this format");
    expectError({.body = "%r = OpFNegate %e4m3 %y"}, ErrorCode::kInvalidModule,
                "not one of the instructions that may take this format");
    expectError({.globals = "%bool = OpTypeBool", .body = "%r = OpIsNan %bool %z"},
                ErrorCode::kInvalidModule, "not one of the instructions");
    expectError({.body = "%v = OpCompositeConstruct %bf16x2 %x %x\n%r = OpFConvert %f32 %v"},
                ErrorCode::kInvalidModule, "as many components");
}

TEST(Numbers, InterfacesAreRefused) {
    expectError({.globals = R"(
%inner = OpTypeStruct %e4m3
%p_in = OpTypePointer Input %inner
%in = OpVariable %p_in Input
)"},
                ErrorCode::kInvalidModule, "storage class Input or Output");
}

// Those of other numbers stay.
TEST(Numbers, UnknownSpecializationConstantsAreRefused) {
    const auto withConstant = [](std::string_view constant, std::string_view use) {
        return Parts{.capabilities = "OpCapability Float64",
                     .globals =
                         "%f64 = OpTypeFloat 64\n%one = OpConstant %f32 1\n"
                         "%none = OpSpecConstantOp %f32 FNegate %one\n%b_one = OpConstant %bf16 1\n"
                         "%no_number = OpSpecConstantOp %bf16 FNegate %b_one\n" +
                         std::string(constant),
                     .body = std::string(use)};
    };
    constexpr std::string_view kUse = "%r = OpFConvert %bf16 %k\nOpStore %at0 %r\n";
    const std::string why = "depends on a value that is not known";
    expectError(withConstant("%k = OpSpecConstantOp %bf16 FConvert %none\n", "OpStore %at0 %k\n"),
                ErrorCode::kUnsupported, why);
    expectError(withConstant("%k = OpSpecConstantOp %f32 FConvert %no_number\n", kUse),
                ErrorCode::kUnsupported, why);
    EXPECT_TRUE(run(withConstant("%k = OpSpecConstantOp %f64 FConvert %none\n", kUse)));
}

// Constants are computed as in shaders: rounded once, to nearest even.
TEST(Numbers, SpecializationConstantsAreConverted) {
    const std::string text = textOf({.decorations = "OpDecorate %s SpecId 1",
                                     .globals = R"(
%f32x2 = OpTypeVector %f32 2
%e4m3x2 = OpTypeVector %e4m3 2
%s = OpSpecConstant %bf16 0x1.04p+4
%w = OpSpecConstantOp %f32 FConvert %s
%n = OpSpecConstantOp %e4m3 FConvert %w
%pair = OpSpecConstantComposite %f32x2 %w %w
%both = OpSpecConstantOp %e4m3x2 FConvert %pair
)",
                                     .body = "%o = OpCompositeExtract %e4m3 %both 1\n"
                                             "OpStore %at1 %n\nOpStore %at1 %o\n"
                                             "OpStore %at0 %s\n%q = OpFConvert %e5m2 %w\n"
                                             "OpStore %at2 %q\n"});
    EXPECT_EQ(text.find("OpSpecConstant"), text.npos) << text;
    // 16.25: 0x4182 in bfloat16; the nearest E4M3 is 16, 0x58 = 88.
    EXPECT_NE(text.find("OpConstant %ushort 16770"), text.npos) << text;
    EXPECT_NE(text.find("OpConstant %float 16.25"), text.npos) << text;
    EXPECT_NE(text.find("OpConstant %uchar 88"), text.npos) << text;
}

// The largest numbers are those of the formats' definitions; a tie beyond goes to the even one.
TEST(NumberBits, Overflow) {
    const Number &e4m3 = *findNumber(kFloatE4M3), &e5m2 = *findNumber(kFloatE5M2);
    EXPECT_EQ(valueOf(e4m3, 0x7E), 448);
    EXPECT_EQ(valueOf(e5m2, 0x7B), 57344);
    EXPECT_EQ(bitsOf(e4m3, 464, false), 0x7Eu);
    EXPECT_EQ(bitsOf(e4m3, 464.001, false), 0x7Fu);
}

}  // namespace
}  // namespace coopvk::rewrite::numbers_test
