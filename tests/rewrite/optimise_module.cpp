// SPDX-License-Identifier: Apache-2.0
#include "optimise_module.hpp"

#include <gtest/gtest.h>

#include "assemble.hpp"
#include "optimise/dead_code.hpp"

namespace coopvk::rewrite::optimise_module {
namespace {

constexpr std::string_view kPreamble = R"(
OpCapability Shader
%96 = OpExtInstImport "GLSL.std.450"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %1 "main" %30
OpExecutionMode %1 LocalSize 1 1 1
%97 = OpString "file"
OpDecorate %28 ArrayStride 4
OpMemberDecorate %27 0 Offset 0
OpDecorate %27 Block
OpDecorate %30 DescriptorSet 0
OpDecorate %30 Binding 0
OpDecorate %98 RelaxedPrecision
%2 = OpTypeVoid
%3 = OpTypeFunction %2
%4 = OpTypeBool
%5 = OpConstantTrue %4
%6 = OpTypeInt 32 0
%7 = OpTypeFloat 32
%8 = OpTypeVector %6 2
%9 = OpTypeVector %7 2
%10 = OpConstant %6 0
%11 = OpConstant %6 1
%12 = OpConstant %6 2
%13 = OpConstant %6 3
%14 = OpConstant %6 1065353216
%15 = OpConstant %7 1
%20 = OpConstant %6 6
%22 = OpConstantFalse %4
%23 = OpConstant %6 4294967295
%16 = OpTypeArray %6 %12
%21 = OpTypeArray %16 %12
%17 = OpTypePointer Function %6
%18 = OpTypePointer Function %16
%19 = OpTypePointer StorageBuffer %6
%28 = OpTypeRuntimeArray %6
%27 = OpTypeStruct %28
%29 = OpTypePointer StorageBuffer %27
%30 = OpVariable %29 StorageBuffer
%1 = OpFunction %2 None %3
%99 = OpLabel
)";

using Words = std::vector<uint32_t>;

// From the first function on.
Words functionsOf(const Words& words) {
    Words functions;
    bool isInside = false;
    anyInstruction(instructionWords(words), [&](spv::Op opcode, std::span<const uint32_t> i) {
        isInside |= opcode == spv::Op::OpFunction;
        if (isInside) functions.insert(functions.end(), i.begin(), i.end());
        return false;
    });
    return functions;
}

void run(Pass pass, TypeTable& types) {
    Module& module = types.module();
    switch (pass) {
        case Pass::kSplit:
            return splitVariables(types);
        case Pass::kForward:
            return forwardVariables(module, [](const Instruction&) { return true; });
        case Pass::kBlock:
            return shareEqualValues(types, Within::kBlock);
        case Pass::kFunction:
            return shareEqualValues(types, Within::kFunction);
        case Pass::kMerge:
            return mergeBlocks(module);
        case Pass::kUnread:
            return removeUnread(module);
    }
}

}  // namespace

Words assembled(std::string_view body) {
    std::string text(kPreamble);
    const bool isDecorated = body.find("%98 ") != body.npos;
    if (!isDecorated) text.erase(text.find("OpDecorate %98"), 32);
    const Words words = test::assemble(text + std::string(body) + "OpReturn\nOpFunctionEnd\n");
    const auto invalid = validate(words);
    EXPECT_FALSE(invalid) << *invalid;
    return words;
}

void expectAfterPass(const Case& test) {
    Result<Module> module = Module::parse(assembled(test.before));
    ASSERT_TRUE(module);
    TypeTable types(*module);
    run(test.pass, types);
    module->orderGlobals();
    const Words words = module->serialise();
    EXPECT_EQ(validate(words), std::nullopt);
    EXPECT_EQ(functionsOf(words), functionsOf(assembled(test.after))) << disassemble(words);
}

}  // namespace coopvk::rewrite::optimise_module
