// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <format>

#include "assemble.hpp"
#include "coopvk/rewrite.hpp"
#include "ir/effects.hpp"

namespace coopvk::rewrite::side_effects_test {
namespace {

// What the function %subject or the function %inner, which it calls, executes.
struct Case {
    std::string_view name;
    bool hasEffect;
    std::string_view code = "";
    std::string_view ofInner = "";
};

const Case kCases[] = {
    {.name = "Arithmetic", .hasEffect = false, .code = "%sum = OpIAdd %u32 %parameter %c1"},
    {.name = "Load", .hasEffect = false, .code = "%read = OpLoad %u32 %word"},
    {.name = "OwnVariable", .hasEffect = false, .code = "OpStore %own %parameter"},
    {.name = "Extended",
     .hasEffect = false,
     .code = "%max = OpExtInst %u32 %glsl UMax %parameter %c1"},
    {.name = "ExtendedStore",
     .hasEffect = true,
     .code = "%fraction = OpExtInst %f32 %glsl Modf %f1 %private_float"},
    {.name = "ExtendedStoreToOwnVariable",
     .hasEffect = false,
     .code = "%fraction = OpExtInst %f32 %glsl Modf %f1 %own_float"},
    {.name = "Switch",
     .hasEffect = false,
     .code = "OpSelectionMerge %after None\nOpSwitch %parameter %other 1 %one\n%one = OpLabel\n"
             "OpBranch %after\n%other = OpLabel\nOpBranch %after\n%after = OpLabel"},
    {.name = "VolatileLoad", .hasEffect = true, .code = "%read = OpLoad %u32 %word Volatile"},
    {.name = "VolatileStore", .hasEffect = true, .code = "OpStore %own %parameter Volatile"},
    {.name = "Buffer", .hasEffect = true, .code = "OpStore %word %parameter"},
    {.name = "Private", .hasEffect = true, .code = "OpStore %private %parameter"},
    {.name = "Atomic",
     .hasEffect = true,
     .code = "%former = OpAtomicIAdd %u32 %word %c1 %c0 %parameter"},
    {.name = "Barrier", .hasEffect = true, .code = "OpControlBarrier %c2 %c2 %c264"},
    {.name = "Elect", .hasEffect = true, .code = "%elected = OpGroupNonUniformElect %bool %c3"},
    {.name = "Clock", .hasEffect = true, .code = "%time = OpExtInst %u64 %gcn TimeAMD"},
    {.name = "CopyToPrivate", .hasEffect = true, .code = "OpCopyMemory %private %word"},
    {.name = "CopyToOwnVariable", .hasEffect = false, .code = "OpCopyMemory %own %word"},
    {.name = "Print", .hasEffect = true, .code = "%print = OpExtInst %void %printf 1 %format"},
    {.name = "Inner", .hasEffect = true, .ofInner = "OpStore %word %given"},
    {.name = "InnerLoad", .hasEffect = false, .ofInner = "%read = OpLoad %u32 %word"},
};

std::string moduleText(const Case& c) {
    return std::format(R"(
OpCapability Shader
OpCapability Int64
OpCapability GroupNonUniform
OpExtension "SPV_AMD_gcn_shader"
OpExtension "SPV_KHR_non_semantic_info"
%glsl = OpExtInstImport "GLSL.std.450"
%gcn = OpExtInstImport "SPV_AMD_gcn_shader"
%printf = OpExtInstImport "NonSemantic.DebugPrintf"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %buffer %private %private_float
OpExecutionMode %main LocalSize 1 1 1
%format = OpString "called"
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %buffer DescriptorSet 0
OpDecorate %buffer Binding 0
%void = OpTypeVoid
%void_fn = OpTypeFunction %void
%u32 = OpTypeInt 32 0
%u64 = OpTypeInt 64 0
%bool = OpTypeBool
%fn = OpTypeFunction %void %u32
%c0 = OpConstant %u32 0
%c1 = OpConstant %u32 1
%c2 = OpConstant %u32 2
%c3 = OpConstant %u32 3
%c264 = OpConstant %u32 264
%block = OpTypeStruct %u32
%block_pointer = OpTypePointer StorageBuffer %block
%pointer = OpTypePointer StorageBuffer %u32
%function_pointer = OpTypePointer Function %u32
%private_pointer = OpTypePointer Private %u32
%f32 = OpTypeFloat 32
%f1 = OpConstant %f32 1
%float_pointer = OpTypePointer Function %f32
%private_float_pointer = OpTypePointer Private %f32
%private_float = OpVariable %private_float_pointer Private
%buffer = OpVariable %block_pointer StorageBuffer
%private = OpVariable %private_pointer Private
%main = OpFunction %void None %void_fn
%main_label = OpLabel
%called = OpFunctionCall %void %subject %c1
OpReturn
OpFunctionEnd
%subject = OpFunction %void None %fn
%parameter = OpFunctionParameter %u32
%label = OpLabel
%own = OpVariable %function_pointer Function
%own_float = OpVariable %float_pointer Function
{}
%inner_called = OpFunctionCall %void %inner %parameter
OpReturn
OpFunctionEnd
%inner = OpFunction %void None %fn
%given = OpFunctionParameter %u32
%inner_label = OpLabel
{}
OpReturn
OpFunctionEnd
)",
                       c.code.find("%word") != std::string_view::npos
                           ? "%word = OpAccessChain %pointer %buffer %c0\n" + std::string(c.code)
                           : std::string(c.code),
                       c.ofInner.find("%word") != std::string_view::npos
                           ? "%word = OpAccessChain %pointer %buffer %c0\n" + std::string(c.ofInner)
                           : std::string(c.ofInner));
}

class SideEffects : public testing::TestWithParam<Case> {};

TEST_P(SideEffects, AreFound) {
    const std::vector<uint32_t> words = test::assemble(moduleText(GetParam()));
    ASSERT_EQ(validate(words), std::nullopt);
    Result<Module> module = Module::parse(words);
    ASSERT_TRUE(module) << module.error().message;
    const Id subject = module->functions()[1]->id();
    EXPECT_EQ(Effects(*module).onlyGivesResult(subject), !GetParam().hasEffect);
}

// Functions of which each calls the next one; the last one has `code`.
Module chainOfCalls(Id count, const std::string& code) {
    std::string text = R"(
OpCapability Shader
OpMemoryModel Logical GLSL450
%1 = OpTypeVoid
%2 = OpTypeFunction %1
%3 = OpTypeInt 32 0
%4 = OpConstant %3 1
%5 = OpTypePointer Private %3
%6 = OpVariable %5 Private
)";
    constexpr Id kFirst = 10;
    for (Id f = kFirst; f < kFirst + count; ++f) {
        const std::string call = std::format("%{} = OpFunctionCall %1 %{}", f + 2 * count, f + 1);
        text += std::format("%{} = OpFunction %1 None %2\n%{} = OpLabel\n{}\n", f, f + count,
                            f + 1 < kFirst + count ? call : code);
        text += "OpReturn\nOpFunctionEnd\n";
    }
    Result<Module> module = Module::parse(test::assemble(text));
    return std::move(*module);
}

TEST(Effects, GoThroughLongChainsOfCalls) {
    constexpr Id kFirst = 10, kCount = 20000;
    const Module pure = chainOfCalls(kCount, "");
    EXPECT_TRUE(Effects(pure).onlyGivesResult(kFirst));
    const Module stores = chainOfCalls(kCount, "OpStore %6 %4");
    const Effects effects(stores);
    EXPECT_EQ(effects.ofFunction(kFirst) & kChanges, uint32_t{kWritesInPrivate});
    EXPECT_EQ(effects.ofFunction(kFirst + kCount - 1) & kChanges, uint32_t{kWritesInPrivate});
    EXPECT_EQ(effects.function(9), nullptr);
    EXPECT_EQ(effects.ofFunction(9), kAnyEffect) << "no function";
}

TEST(Effects, AreUnknownOfFunctionsThatCallThemselves) {
    const Module module = chainOfCalls(3, "%99 = OpFunctionCall %1 %11");
    const Effects effects(module);
    for (const Id function : {11u, 10u, 12u}) EXPECT_FALSE(effects.onlyGivesResult(function));
}

INSTANTIATE_TEST_SUITE_P(Functions, SideEffects, testing::ValuesIn(kCases),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace coopvk::rewrite::side_effects_test
