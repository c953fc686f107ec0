// SPDX-License-Identifier: Apache-2.0
//
// The flags of pipelines and shader objects for 64-bit indexing (VK_EXT_shader_64bit_indexing)
// reach the rewriter, which gives the shader the execution mode.
#include <gtest/gtest.h>

#include <spirv/unified1/spirv.hpp11>

#include "fakes/shader_routes.hpp"

#ifdef VK_EXT_shader_64bit_indexing

namespace coopvk::test::wide_index_test {
namespace {

bool hasMode(const Words& words) {
    constexpr uint32_t kOpcode = 3u << 16 | static_cast<uint32_t>(spv::Op::OpExecutionMode);
    constexpr auto kMode = static_cast<uint32_t>(spv::ExecutionMode::Shader64BitIndexingEXT);
    for (size_t i = 0; i + 2 < words.size(); ++i) {
        if (words[i] == kOpcode && words[i + 2] == kMode) return true;
    }
    return false;
}

TEST_F(ShaderRoutes, PipelineFlagForWideIndices) {
    const VkPipelineShaderStageCreateInfo stage = stageOf(makeModule(matrix));
    VkPipelineCreateFlags2CreateInfo flags = {
        VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO};
    VkComputePipelineCreateInfo info = {VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
    info.pNext = &flags;
    info.stage = stage;
    // The second pipeline of each pair comes from the cache of rewritten shaders.
    for (const bool isWide : {false, true, false, true}) {
        flags.flags = isWide ? VK_PIPELINE_CREATE_2_64_BIT_INDEXING_BIT_EXT : 0;
        VkPipeline pipeline = VK_NULL_HANDLE;
        ASSERT_EQ(COOPVK_DEVICE_COMMAND(driver, device, vkCreateComputePipelines)(
                      device, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline),
                  VK_SUCCESS);
        EXPECT_TRUE(isRewritten(last().words));
        EXPECT_EQ(hasMode(last().words), isWide);
    }
}

TEST_F(ShaderRoutes, ShaderFlagForWideIndices) {
    VkShaderCreateInfoEXT info = {VK_STRUCTURE_TYPE_SHADER_CREATE_INFO_EXT};
    info.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    info.codeType = VK_SHADER_CODE_TYPE_SPIRV_EXT;
    info.codeSize = matrix.size() * 4;
    info.pCode = matrix.data();
    info.pName = "main";
    for (const bool isWide : {true, false}) {
        info.flags = isWide ? VK_SHADER_CREATE_64_BIT_INDEXING_BIT_EXT : 0;
        VkShaderEXT shader = VK_NULL_HANDLE;
        ASSERT_EQ(COOPVK_DEVICE_COMMAND(driver, device, vkCreateShadersEXT)(device, 1, &info,
                                                                            nullptr, &shader),
                  VK_SUCCESS);
        EXPECT_EQ(hasMode(driver.shaders.back().words), isWide);
        COOPVK_DEVICE_COMMAND(driver, device, vkDestroyShaderEXT)(device, shader, nullptr);
    }
}

}  // namespace
}  // namespace coopvk::test::wide_index_test

#endif
