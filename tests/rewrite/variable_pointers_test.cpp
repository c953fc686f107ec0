// SPDX-License-Identifier: Apache-2.0
//
// Capabilities of variable pointers stay only where instructions need them.
#include <gtest/gtest.h>

#include "coopvk/rewrite.hpp"
#include "read_all.hpp"

namespace coopvk::rewrite::variable_pointers_test {
namespace {

// A module that declares variable pointers, after its atomic was lowered.
std::string rewritten(std::string_view body, std::string_view capability = "VariablePointers") {
    constexpr std::string_view kModule = R"(
OpCapability Shader
OpCapability ${capability}
OpCapability AtomicFloat32AddEXT
OpExtension "SPV_EXT_shader_atomic_float_add"
OpExtension "SPV_KHR_variable_pointers"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %d DescriptorSet 0
OpDecorate %d Binding 0
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %floats ArrayStride 4
%void = OpTypeVoid
%bool = OpTypeBool
%u32 = OpTypeInt 32 0
%f32 = OpTypeFloat 32
%c0 = OpConstant %u32 0
%c1 = OpConstant %u32 1
%one = OpConstant %f32 1
%floats = OpTypeRuntimeArray %f32
%block = OpTypeStruct %floats
%pblock = OpTypePointer StorageBuffer %block
%pfloat = OpTypePointer StorageBuffer %f32
%ppfloat = OpTypePointer Function %pfloat
%fn = OpTypeFunction %void
%fnp = OpTypeFunction %void %pfloat
%fnb = OpTypeFunction %void %pblock
%d = OpVariable %pblock StorageBuffer
%callee = OpFunction %void None %fnp
%a = OpFunctionParameter %pfloat
%start = OpLabel
OpStore %a %one
OpReturn
OpFunctionEnd
%whole = OpFunction %void None %fnb
%b = OpFunctionParameter %pblock
%begin = OpLabel
%part = OpAccessChain %pfloat %b %c0 %c0
OpStore %part %one
OpReturn
OpFunctionEnd
%main = OpFunction %void None %fn
%entry = OpLabel
${variable}
%p = OpAccessChain %pfloat %d %c0 %c1
%x = OpAtomicFAddEXT %f32 %p %c1 %c0 %one
%first = OpAccessChain %pfloat %d %c0 %c0
%less = OpFOrdLessThan %bool %x %one
${body}
OpReturn
OpFunctionEnd
)";
    const bool hasVariable = body.find("%kept") != std::string_view::npos;
    std::string text(kModule);
    const auto fill = [&](std::string_view hole, std::string_view with) {
        text.replace(text.find(hole), hole.size(), with);
    };
    fill("${variable}", hasVariable ? "%kept = OpVariable %ppfloat Function" : "");
    fill("${body}", body);
    fill("${capability}", capability);
    if (!hasVariable) fill("%ppfloat = OpTypePointer Function %pfloat\n", "");
    const std::vector<uint32_t> words = assembleAndReadAll(text);
    Target target;
    target.subgroupSize = 8;
    const Result<Rewritten> out = rewrite({.words = words}, target);
    EXPECT_TRUE(out) << out.error().message;
    if (!out) return "";
    EXPECT_EQ(validate(out->words), std::nullopt);
    return disassemble(out->words);
}

TEST(VariablePointers, GoWhereNothingNeedsThem) {
    for (const std::string_view body : {"", "%q = OpCopyObject %pfloat %p\nOpStore %q %one"}) {
        const std::string text = rewritten(body);
        EXPECT_EQ(text.find("VariablePointers"), std::string::npos) << text;
        EXPECT_EQ(text.find("SPV_KHR_variable_pointers"), std::string::npos) << text;
    }
    const std::string fewer = rewritten("", "VariablePointersStorageBuffer");
    EXPECT_EQ(fewer.find("VariablePointers"), std::string::npos) << fewer;
}

TEST(VariablePointers, StayWhereTheyAreUsed) {
    for (const std::string_view body :
         {"%q = OpSelect %pfloat %less %p %first\nOpStore %q %one",
          "%q = OpPtrEqual %bool %p %first", "%v = OpFunctionCall %void %callee %p",
          "%v = OpFunctionCall %void %whole %d", "OpStore %kept %p Volatile"}) {
        const std::string text = rewritten(body);
        EXPECT_NE(text.find("OpCapability VariablePointers"), std::string::npos) << body;
    }
}

}  // namespace
}  // namespace coopvk::rewrite::variable_pointers_test
