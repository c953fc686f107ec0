// SPDX-License-Identifier: Apache-2.0
#include "matrix/matrix_uses.hpp"

#include <gtest/gtest.h>

#include "assemble.hpp"

namespace coopvk::rewrite::matrix_uses_test {
namespace {

// %50 and %51 are A and B, %52 an f32 and %53 an f16 accumulator.
constexpr std::string_view kModule = R"(
OpCapability Shader
OpCapability Float16
OpCapability VulkanMemoryModel
OpCapability CooperativeMatrixKHR
OpExtension "SPV_KHR_cooperative_matrix"
OpMemoryModel Logical Vulkan
OpEntryPoint GLCompute %1 "main" %30
OpExecutionMode %1 LocalSize 32 1 1
OpDecorate %20 ArrayStride 2
%2 = OpTypeVoid
%3 = OpTypeFunction %2
%4 = OpTypeBool
%5 = OpConstantTrue %4
%10 = OpTypeInt 32 0
%11 = OpTypeFloat 16
%12 = OpTypeFloat 32
%13 = OpConstant %10 0
%14 = OpConstant %10 1
%15 = OpConstant %10 2
%16 = OpConstant %10 3
%17 = OpConstant %10 16
%18 = OpConstant %12 2
%20 = OpTypeArray %11 %17
%21 = OpTypePointer Workgroup %20
%22 = OpTypePointer Workgroup %11
%30 = OpVariable %21 Workgroup
%50 = OpTypeCooperativeMatrixKHR %11 %16 %17 %17 %13
%51 = OpTypeCooperativeMatrixKHR %11 %16 %17 %17 %14
%52 = OpTypeCooperativeMatrixKHR %12 %16 %17 %17 %15
%53 = OpTypeCooperativeMatrixKHR %11 %16 %17 %17 %15
%60 = OpConstantNull %52
%61 = OpConstantComposite %52 %18
%70 = OpTypeArray %50 %15
%71 = OpTypePointer Function %70
%72 = OpTypePointer Function %11
%73 = OpTypePointer Function %50
%1 = OpFunction %2 None %3
%80 = OpLabel
%90 = OpVariable %71 Function
%91 = OpAccessChain %22 %30 %13
%92 = OpCooperativeMatrixLoadKHR %50 %91 %13 %17
%93 = OpCooperativeMatrixLoadKHR %51 %91 %14 %17
%94 = OpCooperativeMatrixLoadKHR %53 %91 %13 %17
%95 = OpAccessChain %73 %90 %13
OpStore %95 %92
%96 = OpAccessChain %72 %90 %14 %15
%97 = OpCompositeExtract %11 %94 5
%102 = OpCopyObject %72 %96
OpStore %102 %97
%98 = OpCooperativeMatrixMulAddKHR %52 %92 %93 %60
%99 = OpFNegate %53 %94
%101 = OpFNegate %50 %92
OpStore %95 %101
OpBranch %81
%81 = OpLabel
OpLoopMerge %83 %82 None
OpBranch %82
%82 = OpLabel
%100 = OpCooperativeMatrixMulAddKHR %52 %92 %93 %61
OpBranchConditional %5 %81 %83
%83 = OpLabel
OpCooperativeMatrixStoreKHR %91 %99 %14 %17
OpReturn
OpFunctionEnd
)";

TEST(MatrixUses, AreFoundByOneWalk) {
    const Result<Module> module = Module::parse(test::assemble(kModule));
    ASSERT_TRUE(module);
    const MatrixUses uses(*module);
    ASSERT_EQ(uses.types().size(), 4u);
    EXPECT_EQ(uses.types()[1].first, 51u);
    EXPECT_EQ(uses.types()[1].second.use, Use::kB);

    ASSERT_EQ(uses.products().size(), 2u);
    EXPECT_EQ(uses.products()[0].a, 50u);
    EXPECT_EQ(uses.products()[0].b, 51u);
    EXPECT_EQ(uses.products()[0].c, 52u);
    EXPECT_FALSE(uses.products()[0].isInLoop);
    EXPECT_TRUE(uses.products()[1].isInLoop) << "behind the header";

    ASSERT_EQ(uses.loads().size(), 3u);
    EXPECT_EQ(uses.loads()[0].along, Dimension::kColumns) << "row major";
    EXPECT_EQ(uses.loads()[1].along, Dimension::kRows);
    ASSERT_EQ(uses.stores().size(), 1u);
    EXPECT_EQ(uses.stores()[0].type, 53u);

    EXPECT_EQ(uses.facts(50), kHasElements | kHasOthers) << "behind an index into an array";
    EXPECT_EQ(uses.facts(51), 0u) << "only loaded and multiplied";
    EXPECT_EQ(uses.facts(52), kHasZeros | kHasConstants | kIsAddend);
    EXPECT_EQ(uses.facts(53), kHasElements | kHasOthers);
    EXPECT_EQ(uses.facts(12), 0u) << "no matrix";

    using Pairs = std::vector<std::pair<Id, Id>>;
    EXPECT_EQ(uses.elementPointers(), (Pairs{{96, 50}})) << "%95 points to a whole matrix";
    EXPECT_EQ(uses.elementCopies(), (std::set<std::pair<Id, Id>>{{50, 53}}))
        << "by a copy of the pointer";
    EXPECT_EQ(uses.moves(50), 1u) << "%92 was just loaded";
}

}  // namespace
}  // namespace coopvk::rewrite::matrix_uses_test
