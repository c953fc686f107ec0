// SPDX-License-Identifier: Apache-2.0
//
// Code that lowering adds has invocations part and meet again: SubgroupUniformControlFlowKHR.
#include <gtest/gtest.h>

#include <format>

#include "assemble.hpp"
#include "coopvk/rewrite.hpp"

namespace coopvk::rewrite::reconvergence_test {
namespace {

// A matrix that is loaded and stored by one subgroup of a workgroup.
std::string moduleOf(uint32_t invocations, std::string_view mode = "") {
    return std::format(R"(
OpCapability Shader
OpCapability CooperativeMatrixKHR
OpCapability VulkanMemoryModel
OpCapability GroupNonUniform
OpExtension "SPV_KHR_cooperative_matrix"
OpExtension "SPV_KHR_maximal_reconvergence"
OpMemoryModel Logical Vulkan
OpEntryPoint GLCompute %main "main" %d %id
OpExecutionMode %main LocalSize {} 1 1
{}
OpDecorate %id BuiltIn SubgroupId
OpDecorate %d DescriptorSet 0
OpDecorate %d Binding 0
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %floats ArrayStride 4
%void = OpTypeVoid
%fn = OpTypeFunction %void
%bool = OpTypeBool
%u32 = OpTypeInt 32 0
%f32 = OpTypeFloat 32
%c0 = OpConstant %u32 0
%c2 = OpConstant %u32 2
%c3 = OpConstant %u32 3
%c16 = OpConstant %u32 16
%floats = OpTypeRuntimeArray %f32
%block = OpTypeStruct %floats
%pblock = OpTypePointer StorageBuffer %block
%pfloat = OpTypePointer StorageBuffer %f32
%pid = OpTypePointer Input %u32
%matrix = OpTypeCooperativeMatrixKHR %f32 %c3 %c3 %c3 %c2
%d = OpVariable %pblock StorageBuffer
%id = OpVariable %pid Input
%main = OpFunction %void None %fn
%entry = OpLabel
%number = OpLoad %u32 %id
%isFirst = OpIEqual %bool %number %c0
OpSelectionMerge %end None
OpBranchConditional %isFirst %then %end
%then = OpLabel
%p = OpAccessChain %pfloat %d %c0 %c0
%x = OpCooperativeMatrixLoadKHR %matrix %p %c0 %c16
OpControlBarrier %c3 %c3 %c0
OpCooperativeMatrixStoreKHR %p %x %c0 %c16
OpBranch %end
%end = OpLabel
OpReturn
OpFunctionEnd
)",
                       invocations, mode);
}

size_t modesIn(const std::string& module, bool hasFeature) {
    Target target;
    target.subgroupSize = 32;
    target.device.shaderSubgroupUniformControlFlow = hasFeature;
    const std::vector<uint32_t> words = test::assemble(module);
    const Result<Rewritten> out = rewrite({.words = words}, target);
    if (!out) {
        ADD_FAILURE() << out.error().message;
        return 0;
    }
    EXPECT_EQ(validate(out->words), std::nullopt);
    const std::string text = disassemble(out->words);
    size_t count = 0;
    for (size_t at = 0; (at = text.find("SubgroupUniformControlFlowKHR", at)) != text.npos; ++at)
        ++count;
    const bool isDeclared = text.find("SPV_KHR_subgroup_uniform_control_flow") != text.npos;
    EXPECT_EQ(isDeclared, count != 0);
    return count;
}

TEST(Reconvergence, IsDeclaredWhereTheDeviceHasIt) {
    EXPECT_EQ(modesIn(moduleOf(64), true), 1u);
    EXPECT_EQ(modesIn(moduleOf(64), false), 0u);
}

TEST(Reconvergence, IsNotDeclaredWhereSpirvPromisesIt) {
    EXPECT_EQ(modesIn(moduleOf(32), true), 0u);
    EXPECT_EQ(modesIn(moduleOf(64, "OpExecutionMode %main MaximallyReconvergesKHR"), true), 0u);
}

}  // namespace
}  // namespace coopvk::rewrite::reconvergence_test
