// SPDX-License-Identifier: Apache-2.0
//
// Code that lowering adds has invocations part and meet again: SubgroupUniformControlFlowKHR.
#include <gtest/gtest.h>

#include <format>

#include "assemble.hpp"
#include "coopvk/rewrite.hpp"
#include "edit.hpp"

namespace coopvk::rewrite::reconvergence_test {
namespace {

// A matrix that is loaded and stored by one subgroup of a workgroup.
std::string moduleOf(uint32_t invocations, std::string_view mode = "") {
    const std::string start = test::bufferPreamble(
        "OpCapability Shader\nOpCapability CooperativeMatrixKHR\nOpCapability VulkanMemoryModel\n"
        "OpCapability GroupNonUniform\nOpExtension \"SPV_KHR_cooperative_matrix\"\n"
        "OpExtension \"SPV_KHR_maximal_reconvergence\"\nOpMemoryModel Logical Vulkan",
        "%buffer %id", "OpDecorate %id BuiltIn SubgroupId", invocations);
    constexpr std::string_view kFirst = "OpDecorate ";
    return test::edited(start, {{kFirst, std::format("{}\n{}", mode, kFirst)}}) + R"(
%id_pointer = OpTypePointer Input %u32
%matrix = OpTypeCooperativeMatrixKHR %f32 %c3 %c3 %c3 %c2
%id = OpVariable %id_pointer Input
%main = OpFunction %void None %void_fn
%entry = OpLabel
%number = OpLoad %u32 %id
%isFirst = OpIEqual %bool %number %c0
OpSelectionMerge %end None
OpBranchConditional %isFirst %then %end
%then = OpLabel
%p = OpAccessChain %pointer %buffer %c0 %c0
%x = OpCooperativeMatrixLoadKHR %matrix %p %c0 %c16
OpControlBarrier %c3 %c3 %c0
OpCooperativeMatrixStoreKHR %p %x %c0 %c16
OpBranch %end
%end = OpLabel
OpReturn
OpFunctionEnd
)";
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
    const size_t count = test::occurrences(text, "SubgroupUniformControlFlowKHR");
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
