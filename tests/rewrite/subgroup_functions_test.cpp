// SPDX-License-Identifier: Apache-2.0
//
// Emulated subgroups: functions that instructions call for each element, or only name.
#include "edit.hpp"
#include "narrow_module.hpp"

namespace coopvk::rewrite::subgroup_functions_test {
namespace {

using namespace narrow_module;

// Lanes may hold different numbers of elements.
TEST(SubgroupFunctions, FunctionsOfElements) {
    const std::string function =
        "%each = OpFunction %u32 None %of_element\n%row = OpFunctionParameter %u32\n"
        "%column = OpFunctionParameter %u32\n%element = OpFunctionParameter %u32\n"
        "%first = OpLabel\n%total = OpGroupNonUniformIAdd %u32 %c3 Reduce %element\n"
        "OpReturnValue %total\nOpFunctionEnd\n";
    const std::string text =
        test::edited(moduleOf("%r = OpCooperativeMatrixPerElementOpNV %matrix %ones %each\n",
                              {.functions = function}),
                     {{"OpMemoryModel Logical GLSL450",
                       "OpCapability CooperativeMatrixKHR\nOpCapability VulkanMemoryModel\n"
                       "OpCapability CooperativeMatrixPerElementOperationsNV\n"
                       "OpExtension \"SPV_KHR_cooperative_matrix\"\n"
                       "OpExtension \"SPV_NV_cooperative_matrix2\"\n"
                       "OpExtension \"SPV_KHR_vulkan_memory_model\"\nOpMemoryModel Logical Vulkan"},
                      {"%main = OpFunction",
                       "%matrix = OpTypeCooperativeMatrixKHR %u32 %c3 %c16 %c16 %c2\n"
                       "%ones = OpConstantComposite %matrix %c1\n"
                       "%of_element = OpTypeFunction %u32 %u32 %u32 %u32\n%main = OpFunction"}});
    EXPECT_TRUE(has(refusal(text), "reach it together")) << refusal(text);
}

// Debug information names a function, but does not call it.
TEST(SubgroupFunctions, FunctionsThatAreNamed) {
    const std::string text =
        test::edited(moduleOf("%info = OpExtInst %void %set 1 %main\n" + std::string(kTotal)),
                     {{"OpMemoryModel",
                       "OpExtension \"SPV_KHR_non_semantic_info\"\n"
                       "%set = OpExtInstImport \"NonSemantic.Test\"\nOpMemoryModel"}});
    EXPECT_EQ(refusal(text), "");
}

}  // namespace
}  // namespace coopvk::rewrite::subgroup_functions_test
