// SPDX-License-Identifier: Apache-2.0
//
// Slices of B where A comes from other lanes (matrix/slices/segments.hpp).
#include <gtest/gtest.h>

#include <algorithm>
#include <format>

#include "assemble.hpp"
#include "coopvk/rewrite.hpp"
#include "edit.hpp"

namespace coopvk::rewrite::factor_slices_test {
namespace {

// A network's second layer: an accumulator of 16 x 128 becomes A of a product with shared memory.
constexpr std::string_view kModule = R"(
OpCapability Shader
OpCapability Float16
OpCapability StorageBuffer16BitAccess
OpCapability VulkanMemoryModel
OpCapability CooperativeMatrixKHR
OpCapability CooperativeMatrixConversionsNV
OpExtension "SPV_KHR_cooperative_matrix"
OpExtension "SPV_NV_cooperative_matrix2"
OpMemoryModel Logical Vulkan
OpEntryPoint GLCompute %main "main" %in %out %shared
OpExecutionMode %main LocalSize 64 1 1
OpDecorate %halves ArrayStride 2
OpDecorate %floats ArrayStride 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %outBlock Block
OpMemberDecorate %outBlock 0 Offset 0
OpDecorate %in DescriptorSet 0
OpDecorate %in Binding 0
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 1
%void = OpTypeVoid
%f = OpTypeFunction %void
%bool = OpTypeBool
%false = OpConstantFalse %bool
%u32 = OpTypeInt 32 0
%c0 = OpConstant %u32 0
%c1 = OpConstant %u32 1
%c2 = OpConstant %u32 2
%scope = OpConstant %u32 3
%m = OpConstant %u32 16
%n = OpConstant %u32 32
%k = OpConstant %u32 128
%size = OpConstant %u32 4096
%half = OpTypeFloat 16
%float = OpTypeFloat 32
%halves = OpTypeRuntimeArray %half
%floats = OpTypeRuntimeArray %float
%block = OpTypeStruct %halves
%outBlock = OpTypeStruct %floats
%array = OpTypeArray %half %size
%blockPointer = OpTypePointer StorageBuffer %block
%outPointer = OpTypePointer StorageBuffer %outBlock
%arrayPointer = OpTypePointer Workgroup %array
%halfPointer = OpTypePointer StorageBuffer %half
%floatPointer = OpTypePointer StorageBuffer %float
%sharedPointer = OpTypePointer Workgroup %half
%H = OpTypeCooperativeMatrixKHR %half %scope %m %k %c2
%A = OpTypeCooperativeMatrixKHR %half %scope %m %k %c0
%B = OpTypeCooperativeMatrixKHR %half %scope %k %n %c1
%C = OpTypeCooperativeMatrixKHR %float %scope %m %n %c2
%zero = OpConstantNull %C
%in = OpVariable %blockPointer StorageBuffer
%out = OpVariable %outPointer StorageBuffer
%shared = OpVariable %arrayPointer Workgroup
%main = OpFunction %void None %f
%l = OpLabel
%p = OpAccessChain %halfPointer %in %c0 %c0
%o = OpAccessChain %floatPointer %out %c0 %c0
%s = OpAccessChain %sharedPointer %shared %c0
%h = OpCooperativeMatrixLoadKHR %H %p %c0 %k
%a = OpCooperativeMatrixConvertNV %A %h
%b = OpCooperativeMatrixLoadKHR %B %s %c0 %n
%r = OpCooperativeMatrixMulAddKHR %C %a %b %zero
OpSelectionMerge %end None
OpBranchConditional %false %never %end
%never = OpLabel
%t = OpCooperativeMatrixLoadKHR %C %o %c0 %n
%twice = OpFAdd %C %r %t
OpCooperativeMatrixStoreKHR %o %twice %c0 %n
OpBranch %end
%end = OpLabel
OpCooperativeMatrixStoreKHR %o %r %c0 %n
OpReturn
OpFunctionEnd
)";

std::string rewrittenFor(uint32_t lanes, uint32_t least, std::string text = std::string(kModule)) {
    const std::vector<uint32_t> words = test::assemble(text);
    Request request;
    request.words = words;
    Target target;
    target.subgroupSize = lanes;
    target.device.minSubgroupSize = least;
    target.device.maxSubgroupSize = 64;
    target.device.scalarRegisters = true;
    const Result<Rewritten> out = rewrite(request, target);
    EXPECT_TRUE(out) << out.error().message;
    if (!out) return {};
    EXPECT_EQ(validate(out->words), std::nullopt);
    return disassemble(out->words);
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

// A shuffle of a subgroup of two halves is many instructions.
TEST(FactorSlices, GoThroughMemoryWhereSubgroupsHaveHalves) {
    constexpr std::string_view kShuffle = "OpGroupNonUniformShuffle ";
    const std::string divided = rewrittenFor(64, 32);
    EXPECT_TRUE(has(divided, "%coopvk_lanes = OpVariable")) << divided;
    EXPECT_FALSE(has(divided, kShuffle)) << divided;
    for (const auto& [lanes, least] : {std::pair(64u, 64u), std::pair(32u, 32u)}) {
        const std::string whole = rewrittenFor(lanes, least);
        EXPECT_TRUE(has(whole, kShuffle)) << whole;
        EXPECT_FALSE(has(whole, "coopvk_lanes")) << whole;
    }
}

// A product may name what a load gives by other ways than the load's id.
TEST(FactorSlices, ReachTheLoadBehindCopiesAndVariables) {
    const std::pair<std::string_view, std::string_view> copied = {
        "%r = OpCooperativeMatrixMulAddKHR %C %a %b",
        "%copy = OpCopyObject %B %b\n%r = OpCooperativeMatrixMulAddKHR %C %a %copy"};
    EXPECT_TRUE(
        has(rewrittenFor(64, 32, test::edited(std::string(kModule), {copied})), "OpLoopMerge"));
    const std::string declared = test::edited(
        std::string(kModule),
        {{"OpMemoryModel",
          "OpExtension \"SPV_KHR_non_semantic_info\"\n"
          "%debug = OpExtInstImport \"NonSemantic.Shader.DebugInfo.100\"\nOpMemoryModel"},
         {"OpDecorate %halves",
          "%file = OpString \"f\"\n%name = OpString \"b\"\nOpDecorate %halves"},
         {"%zero = OpConstantNull %C",
          "%zero = OpConstantNull %C\n%heldPointer = OpTypePointer Function %B\n"
          "%source = OpExtInst %void %debug DebugSource %file\n"
          "%unit = OpExtInst %void %debug DebugCompilationUnit %c1 %size %source %c2\n"
          "%matrix = OpExtInst %void %debug DebugTypeBasic %name %c0 %c0 %c0\n"
          "%type = OpExtInst %void %debug DebugTypeFunction %c0 %void\n"
          "%function = OpExtInst %void %debug DebugFunction %name %type %source %c1 %c1 %unit "
          "%name %c0 %c1\n"
          "%local = OpExtInst %void %debug DebugLocalVariable %name %matrix %source %c1 %c1 "
          "%function %c0\n"
          "%expression = OpExtInst %void %debug DebugExpression"},
         {"%p = OpAccessChain", "%held = OpVariable %heldPointer Function\n%p = OpAccessChain"},
         {"%r = OpCooperativeMatrixMulAddKHR %C %a %b",
          "%declared = OpExtInst %void %debug DebugDeclare %local %held %expression\n"
          "OpStore %held %b\n%again = OpLoad %B %held\n"
          "%r = OpCooperativeMatrixMulAddKHR %C %a %again"}});
    EXPECT_TRUE(has(rewrittenFor(64, 32, declared), "OpLoopMerge"));
}

// A part of a variable may change between its store and its load.
TEST(FactorSlices, OnlyOfVariablesThatAreStoredWhole) {
    const auto text = [](std::string_view between) {
        return test::edited(
            std::string(kModule),
            {{"%zero = OpConstantNull %C",
              "%zero = OpConstantNull %C\n%one = OpConstant %half 1\n"
              "%heldPointer = OpTypePointer Function %B\n"
              "%partPointer = OpTypePointer Function %half"},
             {"%p = OpAccessChain", "%held = OpVariable %heldPointer Function\n%p = OpAccessChain"},
             {"%r = OpCooperativeMatrixMulAddKHR %C %a %b",
              std::format("OpStore %held %b\n{}%again = OpLoad %B %held\n"
                          "%r = OpCooperativeMatrixMulAddKHR %C %a %again",
                          between)}});
    };
    EXPECT_TRUE(has(rewrittenFor(64, 32, text("")), "OpLoopMerge"));
    EXPECT_FALSE(has(rewrittenFor(64, 32,
                                  text("%part = OpAccessChain %partPointer %held %c0\n"
                                       "OpStore %part %one\n")),
                     "OpLoopMerge"));
}

// What B is loaded from may change between the load and another block.
TEST(FactorSlices, OnlyInTheBlockOfTheLoad) {
    const std::string apart =
        test::edited(std::string(kModule),
                     {{"%r = OpCooperativeMatrixMulAddKHR",
                       "OpBranch %next\n%next = OpLabel\n%r = OpCooperativeMatrixMulAddKHR"}});
    EXPECT_TRUE(has(rewrittenFor(64, 32), "OpLoopMerge"));
    EXPECT_FALSE(has(rewrittenFor(64, 32, apart), "OpLoopMerge"));
}

// Drivers keep stores to shared memory, also those for values that nothing reads.
TEST(FactorSlices, HaveNothingThatIsNotRead) {
    std::string unread(kModule);
    const std::string_view store = "OpCooperativeMatrixStoreKHR %o %r %c0 %n\n";
    unread.replace(unread.find(store), store.size(), "");
    const std::string text = rewrittenFor(64, 32, unread);
    EXPECT_FALSE(has(text, "coopvk_lanes")) << text;
    EXPECT_FALSE(has(text, "OpStore")) << text;
}

// 4-bit components take a register each, so their slices are a loop, unless words of them are read
// as bytes.
TEST(Slices, OfFourBitsAreALoopUnlessReadAsBytes) {
    const std::vector<uint32_t> words = test::assemble(test::edited(
        test::multiplyModule(16, 16, 32),
        {{"OpCapability Float16",
          "OpCapability Int4TypeINTEL\nOpCapability Int4CooperativeMatrixINTEL\n"
          "OpCapability Float16"},
         {"OpExtension", "OpExtension \"SPV_INTEL_int4\"\nOpExtension"},
         {"%in %out", "%in %out %shared"},
         {"%f32 = OpTypeFloat 32", "%f32 = OpTypeInt 32 1\n%s4 = OpTypeInt 4 1"},
         {"%A = OpTypeCooperativeMatrixKHR %f16",
          "%size = OpConstant %u32 1024\n%array = OpTypeArray %u32 %size\n"
          "%arrayPointer = OpTypePointer Workgroup %array\n"
          "%wordPointer = OpTypePointer Workgroup %u32\n"
          "%shared = OpVariable %arrayPointer Workgroup\n"
          "%A = OpTypeCooperativeMatrixKHR %s4"},
         {"%B = OpTypeCooperativeMatrixKHR %f16", "%B = OpTypeCooperativeMatrixKHR %s4"},
         {"%pa = OpAccessChain %halfPointer %in %c0 %c0",
          "%held = OpVariable %sumPointer Function\nOpStore %held %zero\n"
          "OpControlBarrier %c2 %c2 %order\n"
          "%pa = OpAccessChain %wordPointer %shared %c0"},
         {"%zero =",
          "%sumPointer = OpTypePointer Function %C\n%order = OpConstant %u32 264\n%zero ="},
         {"%pc =", "OpStore %held %product\n%sum = OpLoad %C %held\n%pc ="},
         {"%pc %product", "%pc %sum"},
         {"%product =", "%before = OpLoad %C %held\n%product ="},
         {"%a %b %zero",
          "%a %b %before MatrixASignedComponentsKHR|MatrixBSignedComponentsKHR|"
          "MatrixCSignedComponentsKHR|MatrixResultSignedComponentsKHR"}}));
    for (const bool dots : {false, true}) {
        Target target;
        target.tuning.sliceDepth = 8;
        target.tuning.rollSlices = false;
        target.device.shaderIntegerDotProduct = dots;
        target.device.dot4x8Signed = target.device.dot4x8Unsigned = dots;
        const Result<Rewritten> out = rewrite({.words = words}, target);
        ASSERT_TRUE(out) << out.error().message;
        EXPECT_EQ(validate(out->words), std::nullopt);
        EXPECT_EQ(std::ranges::count(out->notes, "products in slices of 8"), 1);
        const std::string text = disassemble(out->words);
        EXPECT_EQ(has(text, " DontUnroll"), !dots);
        EXPECT_EQ(has(text, " Unroll"), dots);
    }
}

}  // namespace
}  // namespace coopvk::rewrite::factor_slices_test
