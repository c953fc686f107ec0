// SPDX-License-Identifier: Apache-2.0
#include "half_module.hpp"

#include <gtest/gtest.h>

#include <format>

#include "assemble.hpp"
#include "read_all.hpp"

namespace coopvk::rewrite {

namespace {

constexpr auto kFloat16 = Extension::kKhrShaderFloat16Int8;

}  // namespace

std::string halfModule(const HalfParts& parts) {
    return std::format(R"(
OpCapability Shader
OpCapability Float16
OpCapability Int16
OpCapability StorageBuffer16BitAccess
OpCapability GroupNonUniformArithmetic
OpCapability GroupNonUniformVote
OpCapability GroupNonUniformShuffle
{}
%glsl = OpExtInstImport "GLSL.std.450"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %buffer %held {}
OpExecutionMode %main LocalSize 1 1 1
{}
OpName %f16 "half"
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpMemberDecorate %block 1 Offset 2
OpMemberDecorate %block 2 Offset 8
OpMemberDecorate %block 3 Offset 16
OpMemberDecorate %block 4 Offset 24
OpMemberDecorate %block 5 Offset 28
OpDecorate %buffer DescriptorSet 0
OpDecorate %buffer Binding 0
{}
%void = OpTypeVoid
%function = OpTypeFunction %void
%bool = OpTypeBool
%bool4 = OpTypeVector %bool 4
%u32 = OpTypeInt 32 0
%i32 = OpTypeInt 32 1
%u16 = OpTypeInt 16 0
%f32 = OpTypeFloat 32
%f16 = OpTypeFloat 16
%f16x2 = OpTypeVector %f16 2
%f16x3 = OpTypeVector %f16 3
%f16x4 = OpTypeVector %f16 4
%mat = OpTypeMatrix %f16x4 4
%pair = OpTypeStruct %f16 %f16
%split = OpTypeStruct %f16 %i32
%c0 = OpConstant %u32 0
%c1 = OpConstant %u32 1
%c2 = OpConstant %u32 2
%c3 = OpConstant %u32 3
%c4 = OpConstant %u32 4
%c5 = OpConstant %u32 5
%half1 = OpConstant %f16 0x1p+0
%true = OpConstantTrue %bool
%block = OpTypeStruct %f16 %f16 %f16x4 %f16x4 %f32 %u32
%p_block = OpTypePointer StorageBuffer %block
%p_f16 = OpTypePointer StorageBuffer %f16
%p_f16x4 = OpTypePointer StorageBuffer %f16x4
%p_f32 = OpTypePointer StorageBuffer %f32
%p_u32 = OpTypePointer StorageBuffer %u32
%p_mat = OpTypePointer Private %mat
%p_half = OpTypePointer Function %f16
%p_int = OpTypePointer Function %i32
%buffer = OpVariable %p_block StorageBuffer
%held = OpVariable %p_mat Private
{}
%main = OpFunction %void None %function
%label = OpLabel
%whole = OpVariable %p_half Function
%exponent = OpVariable %p_int Function
%at0 = OpAccessChain %p_f16 %buffer %c0
%at1 = OpAccessChain %p_f16 %buffer %c1
%at2 = OpAccessChain %p_f16x4 %buffer %c2
%at3 = OpAccessChain %p_f16x4 %buffer %c3
%at4 = OpAccessChain %p_f32 %buffer %c4
%at5 = OpAccessChain %p_u32 %buffer %c5
%x = OpLoad %f16 %at0
%y = OpLoad %f16 %at1
%v = OpLoad %f16x4 %at2
%w = OpLoad %f16x4 %at3
%f = OpLoad %f32 %at4
%i = OpLoad %u32 %at5
%flag = OpULessThan %bool %i %c3
%m = OpLoad %mat %held
{}
OpReturn
OpFunctionEnd
)",
                       parts.capabilities, parts.interface, parts.modes, parts.decorations,
                       parts.globals, parts.body);
}

Target withoutHalves() {
    Target target;
    target.emulated.insert(kFloat16);
    target.device.shaderFloat16 = false;
    target.device.emulatesFloat16 = true;
    return target;
}

Result<Rewritten> rewriteHalves(const HalfParts& parts) {
    const std::vector<uint32_t> words = assembleAndReadAll(halfModule(parts));
    EXPECT_TRUE(scan(words, withoutHalves().emulated).contains(kFloat16));
    Request request;
    request.words = words;
    return rewrite(request, withoutHalves());
}

std::string rewrittenHalves(const HalfParts& parts) {
    EXPECT_EQ(validate(coopvk::test::assemble(halfModule(parts))), std::nullopt);
    const Result<Rewritten> out = rewriteHalves(parts);
    if (!out) {
        ADD_FAILURE() << out.error().message;
        return {};
    }
    const std::string text = disassemble(out->words);
    EXPECT_EQ(validate(out->words), std::nullopt) << text;
    EXPECT_EQ(text.find("OpTypeFloat 16"), text.npos) << text;
    EXPECT_EQ(text.find("Float16"), text.npos) << text;
    return text;
}

size_t countIn(std::string_view text, std::string_view part) {
    size_t found = 0;
    for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++found;
    return found;
}

}  // namespace coopvk::rewrite
