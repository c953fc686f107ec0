// SPDX-License-Identifier: Apache-2.0
//
// SPV_EXT_ocp_microscaling_types.
#include <gtest/gtest.h>

#include <cmath>
#include <format>

#include "assemble.hpp"
#include "coopvk/rewrite.hpp"
#include "number_row.hpp"
#include "read_all.hpp"

namespace coopvk::rewrite::microscaling_test {
namespace {

constexpr auto kMicroscaling = Extension::kExtShaderOcpMicroscalingTypes;

using test::row;

// OCP Microscaling Formats 1.0: E8M0, and MXINT8. number_test has the other formats.
TEST(Microscaling, ValuesOfAllBits) {
    for (uint32_t bits = 0; bits < 255; ++bits) {
        EXPECT_EQ(valueOf(row("e8m0"), bits), std::pow(2.0, int(bits) - 127)) << bits;
    }
    EXPECT_TRUE(std::isnan(valueOf(row("e8m0"), 255)));
    for (int bits = 0; bits < 256; ++bits) {
        const int integer = bits < 128 ? bits : bits - 256;
        EXPECT_EQ(valueOf(row("mxint8"), uint32_t(bits)), integer / 64.0) << bits;
    }
}

struct Parts {
    std::string decorations, globals, interface, variables, body, functions;
    // A lone capability in place of all.
    std::string capabilities =
        "OpCapability Float4EXT\nOpCapability Float6EXT\nOpCapability Float8UnsignedE8M0EXT\n"
        "OpCapability MXInt8EXT\nOpCapability BitcastExtractEXT\n";
};

std::string moduleOf(const Parts& parts) {
    return std::format(R"(
OpCapability Shader
OpCapability Int8
OpCapability Int16
OpCapability Int64
OpCapability Float16
OpCapability Float64
OpCapability StorageBuffer8BitAccess
{}
OpExtension "SPV_EXT_ocp_microscaling_types"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %buffer {}
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpMemberDecorate %block 1 Offset 1
OpMemberDecorate %block 2 Offset 4
OpDecorate %buffer DescriptorSet 0
OpDecorate %buffer Binding 0
{}
%void = OpTypeVoid
%f = OpTypeFunction %void
%bool = OpTypeBool
%u64 = OpTypeInt 64 0
%u32 = OpTypeInt 32 0
%u16 = OpTypeInt 16 0
%u8 = OpTypeInt 8 0
%s8 = OpTypeInt 8 1
%u8x2 = OpTypeVector %u8 2
%u8x3 = OpTypeVector %u8 3
%u32x4 = OpTypeVector %u32 4
%f16 = OpTypeFloat 16
%f32 = OpTypeFloat 32
%f64 = OpTypeFloat 64
%f32x4 = OpTypeVector %f32 4
%c0 = OpConstant %u32 0
%c1 = OpConstant %u32 1
%c2 = OpConstant %u32 2
%true = OpConstantTrue %bool
%block = OpTypeStruct %u8 %u8 %u32x4
%p_block = OpTypePointer StorageBuffer %block
%p_u8 = OpTypePointer StorageBuffer %u8
%p_u32x4 = OpTypePointer StorageBuffer %u32x4
%buffer = OpVariable %p_block StorageBuffer
{}
%main = OpFunction %void None %f
%label = OpLabel
{}
%at0 = OpAccessChain %p_u8 %buffer %c0
%at2 = OpAccessChain %p_u32x4 %buffer %c2
%byte = OpLoad %u8 %at0
%words = OpLoad %u32x4 %at2
{}
OpReturn
OpFunctionEnd
{}
)",
                       parts.capabilities, parts.interface, parts.decorations, parts.globals,
                       parts.variables, parts.body, parts.functions);
}

constexpr char kTypes[] = R"(
%e2m1 = OpTypeFloat 4 Float4E2M1EXT
%e2m3 = OpTypeFloat 6 Float6E2M3EXT
%e3m2 = OpTypeFloat 6 Float6E3M2EXT
%e8m0 = OpTypeFloat 8 Float8UnsignedE8M0EXT
%mxint8 = OpTypeFloat 8 MXInt8EXT
%e2m1x2 = OpTypeVector %e2m1 2
%e2m1x4 = OpTypeVector %e2m1 4
%e3m2x4 = OpTypeVector %e3m2 4
)";

Result<Rewritten> run(const Parts& parts, uint32_t native = 0) {
    const std::vector<uint32_t> words = assembleAndReadAll(moduleOf(parts));
    Request request;
    request.words = words;
    Target target;
    target.nativeFeatures[kMicroscaling] = native;
    return rewrite(request, target);
}

std::string textOf(const Parts& parts, uint32_t native = 0) {
    EXPECT_EQ(validate(test::assemble(moduleOf(parts))), std::nullopt);
    const Result<Rewritten> out = run(parts, native);
    if (!out) {
        ADD_FAILURE() << out.error().message;
        return {};
    }
    EXPECT_EQ(validate(out->words), std::nullopt) << disassemble(out->words);
    return disassemble(out->words);
}

void expectNone(const std::string& text, std::initializer_list<std::string_view> parts) {
    for (const std::string_view part : parts) EXPECT_EQ(text.find(part), text.npos) << text;
}

void expectError(const Parts& parts, std::string_view what) {
    const Result<Rewritten> out = run(parts);
    ASSERT_FALSE(out);
    EXPECT_EQ(out.error().code, ErrorCode::kInvalidModule);
    EXPECT_NE(out.error().message.find(what), std::string::npos) << out.error().message;
}

TEST(Microscaling, NothingOfItIsLeft) {
    const std::string text = textOf({.globals = std::string(kTypes) + R"(
%array_length = OpConstant %u32 3
%inner = OpTypeStruct %e2m1 %e3m2x4
%array = OpTypeArray %inner %array_length
%p_private = OpTypePointer Private %array
%p_function = OpTypePointer Function %e2m3
%p_part = OpTypePointer Private %e3m2
%variable = OpVariable %p_private Private
%half = OpConstant %e2m1 0.5
%other = OpConstant %e2m1 6
%pair = OpConstantComposite %e2m1x2 %half %other
%none = OpConstantNull %mxint8
%g = OpTypeFunction %e2m1 %e2m1 %e8m0
)",
                                     .interface = "%variable",
                                     .variables = "%local = OpVariable %p_function Function\n",
                                     .body = R"(
%x = OpBitcastExtractEXT %e2m1 %byte %c1
%y = OpBitcastExtractEXT %e3m2x4 %words %c2
%e = OpBitcast %e8m0 %byte
%m = OpBitcast %mxint8 %byte
%two = OpBitcast %e2m1x2 %byte
%back = OpBitcast %u8 %two
%z = OpFunctionCall %e2m1 %called %x %e
%w = OpSelect %e2m1 %true %z %half
%six = OpBitcastExtractEXT %e2m3 %byte %c1
OpStore %local %six
%part = OpAccessChain %p_part %variable %c1 %c1 %c2
%old = OpLoad %e3m2 %part
OpStore %part %old
OpBranch %next
%next = OpLabel
%p = OpPhi %e2m1 %w %label
%n = OpPhi %mxint8 %none %label
%a = OpFConvert %f32 %p
%b = OpFConvert %f32x4 %y
%c = OpFConvert %f64 %e
%d = OpFConvert %f16 %m
)",
                                     .functions = R"(
%called = OpFunction %e2m1 None %g
%p1 = OpFunctionParameter %e2m1
%p2 = OpFunctionParameter %e8m0
%l2 = OpLabel
OpReturnValue %p1
OpFunctionEnd
)"});
    expectNone(text, {"Float4", "Float6E", "E8M0", "MXInt8", "BitcastExtract", "ocp_microscaling",
                      "OpTypeFloat 4", "OpTypeFloat 6 ", "OpTypeFloat 8"});
}

// What the driver has stays, with what it needs.
TEST(Microscaling, FormatsOfTheDriverStay) {
    const Parts parts = {.globals = kTypes, .body = R"(
%x = OpBitcastExtractEXT %e2m1 %byte %c1
%y = OpBitcastExtractEXT %e3m2 %byte %c1
%e = OpBitcast %e8m0 %byte
%a = OpFConvert %f32 %x
%b = OpFConvert %f32 %y
%c = OpFConvert %f32 %e
)"};
    const std::string text = textOf(parts, 1u << 0 | 1u << 2);
    for (const std::string_view part :
         {"OpCapability Float4EXT", "OpCapability BitcastExtractEXT",
          "OpCapability Float8UnsignedE8M0EXT", "SPV_EXT_ocp_microscaling_types",
          "OpTypeFloat 4 Float4E2M1EXT", "OpTypeFloat 8 Float8UnsignedE8M0EXT"}) {
        EXPECT_NE(text.find(part), text.npos) << part;
    }
    expectNone(text, {"Float6E", "MXInt8"});
    const std::vector<uint32_t> words = test::assemble(moduleOf(parts));
    ExtensionFeatures native;
    native[kMicroscaling] = 0xF;
    EXPECT_TRUE(scan(words, ExtensionSet::all(), native).empty());
    native[kMicroscaling] = 0x7;
    EXPECT_EQ(scan(words, ExtensionSet::all(), native), ExtensionSet{kMicroscaling});
}

TEST(Microscaling, SpecializationConstantsAreConverted) {
    const Parts parts = {.decorations = "OpDecorate %spec SpecId 7\n",
                         .globals = std::string(kTypes) + R"(
%spec = OpSpecConstant %e3m2 1.5
%wide = OpSpecConstantOp %f32 FConvert %spec
)",
                         .body = "%sum = OpFAdd %f32 %wide %wide\n"};
    EXPECT_NE(textOf(parts).find("OpConstant %float 1.5"), std::string::npos);
    const std::vector<uint32_t> words = assembleAndReadAll(moduleOf(parts));
    const std::byte bits[] = {std::byte{0x3F}};  // -28
    Request request;
    request.words = words;
    const SpecializationEntry entries[] = {{7, bits}};
    request.specialization = entries;
    const Result<Rewritten> out = rewrite(request, Target{});
    ASSERT_TRUE(out) << out.error().message;
    EXPECT_NE(disassemble(out->words).find("OpConstant %float -28"), std::string::npos);
}

TEST(Microscaling, WhatTheTextsDoNotAllowIsRefused) {
    const auto with = [](std::string_view body, std::string_view globals = {}) {
        return Parts{.globals = kTypes + std::string(globals), .body = std::string(body)};
    };
    expectError(with("%x = OpFConvert %e8m0 %float\n", "%float = OpConstant %f32 1\n"),
                "no conversion gives a format");
    expectError(with("%e = OpBitcast %mxint8 %byte\n%x = OpConvertFToS %u32 %e\n"),
                "do not become integers");
    expectError(with("%e = OpBitcast %e8m0 %byte\n%x = OpFAdd %e8m0 %e %e\n"),
                "may take this format");
    expectError(with("%x = OpBitcast %e2m1x4 %byte\n"), "as many bits");
    expectError(
        with("%single = OpConvertUToF %f32 %byte\n%x = OpBitcastExtractEXT %e2m1 %single %c0\n"),
        "takes wider integers");
    expectError(with("", "%p = OpTypePointer StorageBuffer %e2m1\n"),
                "only in storage classes Function and Private");
}

}  // namespace
}  // namespace coopvk::rewrite::microscaling_test
