// SPDX-License-Identifier: Apache-2.0
//
// SPV_NV_shader_sm_builtins.
#include <gtest/gtest.h>

#include <format>

#include "assemble.hpp"
#include "coopvk/rewrite.hpp"

namespace coopvk::rewrite::sm_builtins_test {
namespace {

constexpr auto kSms = Extension::kNvShaderSmBuiltins;

// All four built-ins, the first as a signed integer. `body`: instructions of the entry point.
std::string moduleOf(std::string_view body, std::string_view model = "GLCompute",
                     std::string_view mode = "OpExecutionMode %main LocalSize 32 1 1") {
    return std::format(R"(
OpCapability Shader
OpCapability ShaderSMBuiltinsNV
OpExtension "SPV_NV_shader_sm_builtins"
OpMemoryModel Logical GLSL450
OpEntryPoint {} %main "main" %count %warps %sm %warp %buffer
{}
OpDecorate %count BuiltIn SMCountNV
OpDecorate %warps BuiltIn WarpsPerSMNV
OpDecorate %sm BuiltIn SMIDNV
OpDecorate %warp BuiltIn WarpIDNV
{}
OpDecorate %array ArrayStride 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %buffer DescriptorSet 0
OpDecorate %buffer Binding 0
%void = OpTypeVoid
%f = OpTypeFunction %void
%i32 = OpTypeInt 32 1
%u32 = OpTypeInt 32 0
%array = OpTypeRuntimeArray %u32
%block = OpTypeStruct %array
%to_block = OpTypePointer StorageBuffer %block
%to_u32 = OpTypePointer StorageBuffer %u32
%in_i32 = OpTypePointer Input %i32
%in_u32 = OpTypePointer Input %u32
%i_0 = OpConstant %i32 0
%buffer = OpVariable %to_block StorageBuffer
%count = OpVariable %in_i32 Input
%warps = OpVariable %in_u32 Input
%sm = OpVariable %in_u32 Input
%warp = OpVariable %in_u32 Input
%main = OpFunction %void None %f
%label = OpLabel
%out = OpAccessChain %to_u32 %buffer %i_0 %i_0
{}
OpReturn
OpFunctionEnd
)",
                       model, mode,
                       model == "Fragment" ? "OpDecorate %count Flat\nOpDecorate %warps Flat\n"
                                             "OpDecorate %sm Flat\nOpDecorate %warp Flat\n"
                                           : "",
                       body);
}

constexpr std::string_view kAll = R"(
%a = OpLoad %i32 %count
%a_u = OpBitcast %u32 %a
%b = OpLoad %u32 %warps
%copy = OpCopyObject %in_u32 %sm
%c = OpLoad %u32 %copy
%d = OpLoad %u32 %warp
%ab = OpIAdd %u32 %a_u %b
%cd = OpIAdd %u32 %c %d
%abcd = OpIAdd %u32 %ab %cd
OpStore %out %abcd
)";

Target targetOf(uint32_t cores = 36, uint32_t warps = 20) {
    Target target;
    target.emulated = {kSms};
    target.device.shaderCores = cores;
    target.device.warpsPerShaderCore = warps;
    return target;
}

std::string rewritten(const std::string& text, const Target& target, Rewritten& out) {
    const auto words = test::assemble(text);
    EXPECT_EQ(scan(words, target.emulated), ExtensionSet{kSms});
    const auto result = rewrite({.words = words}, target);
    EXPECT_TRUE(result) << result.error().message;
    if (!result) return {};
    out = *result;
    EXPECT_EQ(validate(out.words), std::nullopt);
    EXPECT_TRUE(scan(out.words, target.emulated).empty());
    return disassemble(out.words);
}

bool has(const std::string& text, std::string_view what) {
    return text.find(what) != std::string::npos;
}

TEST(SmBuiltIns, CountsAreConstants) {
    Rewritten out;
    const std::string text = rewritten(moduleOf(kAll), targetOf(), out);
    EXPECT_TRUE(has(text, "OpConstant %int 36")) << text;
    EXPECT_TRUE(has(text, "OpConstant %uint 20")) << text;
    for (const char* gone : {"SMCountNV", "WarpsPerSMNV", "SMIDNV", "WarpIDNV", "SPV_NV_"})
        EXPECT_FALSE(has(text, gone)) << gone << text;
    EXPECT_TRUE(has(text, "BuiltIn WorkgroupId"));
    EXPECT_TRUE(has(text, "BuiltIn SubgroupId"));
    EXPECT_EQ(out.warnings.size(), 2u) << "numbers that do not tell what runs where";
}

TEST(SmBuiltIns, CountsAloneNeedNoWarning) {
    constexpr std::string_view kCounts = "%b = OpLoad %u32 %warps\nOpStore %out %b\n";
    std::string text = moduleOf(kCounts);
    for (const std::string_view line :
         {"OpDecorate %sm BuiltIn SMIDNV\n", "OpDecorate %warp BuiltIn WarpIDNV\n",
          "%sm = OpVariable %in_u32 Input\n", "%warp = OpVariable %in_u32 Input\n", " %sm %warp"})
        text.erase(text.find(line), line.size());
    Rewritten out;
    rewritten(text, targetOf(), out);
    EXPECT_TRUE(out.warnings.empty());
}

// Arm's devices number their cores and warps.
TEST(SmBuiltIns, ArmsAreUsedWhereTheyAre) {
    Target target = targetOf();
    target.device.shaderCoreBuiltins = true;
    Rewritten out;
    const std::string text = rewritten(moduleOf(kAll), target, out);
    EXPECT_TRUE(has(text, "OpCapability CoreBuiltinsARM")) << text;
    EXPECT_TRUE(has(text, "SPV_ARM_core_builtins"));
    EXPECT_TRUE(has(text, "BuiltIn CoreIDARM"));
    EXPECT_TRUE(has(text, "BuiltIn WarpIDARM"));
    EXPECT_TRUE(has(text, "OpConstant %int 36"));
    EXPECT_TRUE(out.warnings.empty());
}

// In other stages there are no workgroups, and subgroups have no numbers.
TEST(SmBuiltIns, OtherStages) {
    const auto words =
        test::assemble(moduleOf(kAll, "Fragment", "OpExecutionMode %main OriginUpperLeft"));
    const auto result = rewrite({.words = words, .stage = Stage::kFragment}, targetOf());
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_EQ(validate(result->words), std::nullopt);
    EXPECT_FALSE(has(disassemble(result->words), "BuiltIn"));
}

TEST(SmBuiltIns, WithoutSubgroups) {
    Target target = targetOf();
    target.device.subgroupBasic = false;
    Rewritten out;
    EXPECT_FALSE(has(rewritten(moduleOf(kAll), target, out), "BuiltIn SubgroupId"));
}

// The interface of SPIR-V 1.3 has inputs and outputs only.
TEST(SmBuiltIns, OldVersions) {
    auto words = test::assemble(moduleOf(kAll));
    const std::string text = moduleOf(kAll);
    words = test::assemble([&] {
        std::string old = text;
        const std::string_view buffer = " %buffer\n";
        old.replace(old.find(buffer), buffer.size(), "\n");
        return old;
    }());
    words[1] = 0x00010300;
    const auto result = rewrite({.words = words}, targetOf());
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_EQ(result->words[1], 0x00010300u);
    EXPECT_EQ(validate(result->words), std::nullopt);
}

TEST(SmBuiltIns, OtherUsesOfTheVariableAreRefused) {
    std::string text = moduleOf("%x = OpFunctionCall %u32 %g %sm\nOpStore %out %x\n");
    text += R"(%g = OpFunction %u32 None %g_type
%p = OpFunctionParameter %in_u32
%g_label = OpLabel
%v = OpLoad %u32 %p
OpReturnValue %v
OpFunctionEnd
)";
    const std::string_view place = "%i_0 = OpConstant";
    text.insert(text.find(place), "%g_type = OpTypeFunction %u32 %in_u32\n");
    const auto result = rewrite({.words = test::assemble(text)}, targetOf());
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, ErrorCode::kUnsupported);
    EXPECT_TRUE(has(result.error().message, "takes a pointer to SMIDNV")) << result.error().message;
}

TEST(SmBuiltIns, NotWhereTheyAreTheDrivers) {
    const auto words = test::assemble(moduleOf(kAll));
    EXPECT_TRUE(scan(words, {}).empty());
}

}  // namespace
}  // namespace coopvk::rewrite::sm_builtins_test
