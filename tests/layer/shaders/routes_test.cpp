// SPDX-License-Identifier: Apache-2.0
//
// The ways of a shader to the driver: modules, inlined modules, shader objects; with
// specialization, subgroup sizes and allocators.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "assemble.hpp"
#include "fakes/shader_routes.hpp"
#include "fakes/test_allocator.hpp"

namespace coopvk::test::routes_test {
namespace {

// The driver gets a stub for the module, and the rewritten words for the pipeline.
TEST_F(ShaderRoutes, Modules) {
    const VkShaderModule module = makeModule(matrix);
    ASSERT_EQ(driver.createdModules.size(), 1u);
    EXPECT_NE(driver.createdModules[0], matrix);
    EXPECT_EQ(makeCompute(stageOf(module)), VK_SUCCESS);
    EXPECT_TRUE(isRewritten(last().words));
    EXPECT_EQ(driver.modules.size(), 1u) << "only the stub is left";
}

TEST_F(ShaderRoutes, PlainModules) {
    EXPECT_EQ(makeCompute(stageOf(makeModule(plain))), VK_SUCCESS);
    EXPECT_EQ(driver.createdModules, (std::vector<Words>{plain}));
    EXPECT_EQ(last().words, plain);
    EXPECT_EQ(last().flags, 0u);
}

TEST_F(ShaderRoutes, InlinedModules) {
    VkShaderModuleCreateInfo code = infoOf(matrix);
    VkPipelineShaderStageCreateInfo stage = stageOf(VK_NULL_HANDLE);
    stage.pNext = &code;
    EXPECT_EQ(makeCompute(stage), VK_SUCCESS);
    EXPECT_TRUE(isRewritten(last().words));
    EXPECT_EQ(std::ranges::count(last().chain, VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO), 0);
    code = infoOf(plain);
    EXPECT_EQ(makeCompute(stage), VK_SUCCESS);
    EXPECT_EQ(last().words, plain);
}

TEST_F(ShaderRoutes, SpecializationIsFrozen) {
    const uint32_t rows = 8;
    const VkSpecializationMapEntry entry = {0, 0, 4};
    const VkSpecializationInfo special = {1, &entry, 4, &rows};
    VkPipelineShaderStageCreateInfo stage = stageOf(makeModule(matrix));
    EXPECT_EQ(makeCompute(stage), VK_SUCCESS);
    const Words unspecialized = last().words;
    stage.pSpecializationInfo = &special;
    EXPECT_EQ(makeCompute(stage), VK_SUCCESS);
    EXPECT_FALSE(last().specialized);
    EXPECT_NE(last().words, unspecialized);
    const VkSpecializationMapEntry unknown = {7, 0, 4};  // the same number for another constant
    const VkSpecializationInfo nothing = {1, &unknown, 4, &rows};
    stage.pSpecializationInfo = &nothing;
    EXPECT_EQ(makeCompute(stage), VK_SUCCESS);
    EXPECT_EQ(last().words, unspecialized);
}

TEST_F(ShaderRoutes, ContradictoryStages) {
    testing::internal::CaptureStderr();
    const uint32_t rows = 8;
    const VkSpecializationMapEntry entry = {0, 4, 4};
    const VkSpecializationInfo special = {1, &entry, 4, &rows};
    VkPipelineShaderStageCreateInfo stage = stageOf(makeModule(matrix));
    stage.pSpecializationInfo = &special;
    EXPECT_LT(makeCompute(stage), 0);
    stage.pSpecializationInfo = nullptr;
    stage.pName = "no_such_entry_point";
    EXPECT_LT(makeCompute(stage), 0);
    VkPipelineShaderStageRequiredSubgroupSizeCreateInfo size = {
        VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO, nullptr, 24};
    stage.pName = "main";
    stage.pNext = &size;
    EXPECT_LT(makeCompute(stage), 0);
    EXPECT_TRUE(driver.pipelines.empty()) << "nothing of it may reach the driver";
    const std::string text = testing::internal::GetCapturedStderr();
    EXPECT_NE(text.find("specialization data"), std::string::npos) << text;
    EXPECT_NE(text.find("no_such_entry_point"), std::string::npos) << text;
    EXPECT_NE(text.find("subgroup size"), std::string::npos) << text;
}

TEST_F(ShaderRoutes, MoreStepsThanAllowed) {
    stop();
    setenv("COOPVK_REWRITE_LIMIT", "1K", 1);
    start();
    testing::internal::CaptureStderr();
    EXPECT_EQ(makeCompute(stageOf(makeModule(matrix))), VK_ERROR_UNKNOWN);
    const std::string text = testing::internal::GetCapturedStderr();
    EXPECT_NE(text.find("takes more than 1000 steps (setting rewrite_limit)"), std::string::npos)
        << text;
    EXPECT_TRUE(driver.pipelines.empty()) << "nothing of it may reach the driver";
    EXPECT_EQ(makeCompute(stageOf(makeModule(plain))), VK_SUCCESS)
        << "what is not rewritten takes none";
    unsetenv("COOPVK_REWRITE_LIMIT");
}

TEST_F(ShaderRoutes, ShaderObjects) {
    VkShaderCreateInfoEXT infos[3] = {};
    const Words* code[] = {&plain, &matrix, &matrix};
    for (size_t i = 0; i < 3; ++i) {
        infos[i].sType = VK_STRUCTURE_TYPE_SHADER_CREATE_INFO_EXT;
        infos[i].stage = VK_SHADER_STAGE_COMPUTE_BIT;
        infos[i].codeType = VK_SHADER_CODE_TYPE_SPIRV_EXT;
        infos[i].codeSize = code[i]->size() * 4;
        infos[i].pCode = code[i]->data();
        infos[i].pName = "main";
    }
    infos[2].codeType = VK_SHADER_CODE_TYPE_BINARY_EXT;  // whatever its bytes look like
    VkShaderEXT shaders[3] = {};
    const auto create = COOPVK_DEVICE_COMMAND(driver, device, vkCreateShadersEXT);
    EXPECT_EQ(create(device, 3, infos, nullptr, shaders), VK_SUCCESS);
    EXPECT_EQ(driver.shaders[0].words, plain);
    EXPECT_TRUE(isRewritten(driver.shaders[1].words));
    EXPECT_EQ(driver.shaders[2].words, matrix);
    EXPECT_EQ(infos[1].pCode, matrix.data());

    // The first null handle is the shader that failed; those before it exist.
    driver.shaders.clear();
    infos[0].flags = infos[1].flags = VK_SHADER_CREATE_LINK_STAGE_BIT_EXT;
    infos[1].pName = "nothing";
    testing::internal::CaptureStderr();
    EXPECT_LT(create(device, 3, infos, nullptr, shaders), 0);
    testing::internal::GetCapturedStderr();
    ASSERT_EQ(driver.shaders.size(), 1u);
    EXPECT_EQ(driver.shaders[0].flags & VK_SHADER_CREATE_LINK_STAGE_BIT_EXT, 0u);
    EXPECT_NE(shaders[0], VK_NULL_HANDLE);
    EXPECT_EQ(shaders[1], VK_NULL_HANDLE);
    EXPECT_EQ(shaders[2], VK_NULL_HANDLE);

    // Before the first, there is nothing to make.
    bool isCalled = false;
    driver.during["vkCreateShadersEXT"] = [&] { isCalled = true; };
    testing::internal::CaptureStderr();
    EXPECT_LT(create(device, 2, infos + 1, nullptr, shaders), 0);
    testing::internal::GetCapturedStderr();
    EXPECT_FALSE(isCalled);
    driver.during.clear();

    // If the driver makes none of those before it, its answer comes first, also one that is not
    // an error: then the first null handle is the driver's.
    driver.shaderResult = VK_INCOMPATIBLE_SHADER_BINARY_EXT;
    testing::internal::CaptureStderr();
    EXPECT_EQ(create(device, 3, infos, nullptr, shaders), VK_INCOMPATIBLE_SHADER_BINARY_EXT);
    testing::internal::GetCapturedStderr();
    EXPECT_EQ(shaders[0], VK_NULL_HANDLE);
}

// If the size varies, the driver gets the one for which the code was made.
TEST_F(ShaderRoutes, RequiredSubgroupSize) {
    EXPECT_EQ(makeCompute(stageOf(makeModule(matrix))), VK_SUCCESS);
    EXPECT_EQ(last().requiredSubgroupSize, 0u) << "it cannot vary";
    EXPECT_TRUE(last().flags & VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT);
    stop();
    driver.minSubgroupSize = 8;
    driver.maxSubgroupSize = 64;
    start();
    VkPipelineShaderStageCreateInfo stage = stageOf(makeModule(matrix));
    stage.flags = VK_PIPELINE_SHADER_STAGE_CREATE_ALLOW_VARYING_SUBGROUP_SIZE_BIT;
    EXPECT_EQ(makeCompute(stage), VK_SUCCESS);
    EXPECT_EQ(last().requiredSubgroupSize, 32u);
    EXPECT_EQ(last().flags, VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT);
    VkPipelineShaderStageRequiredSubgroupSizeCreateInfo size = {
        VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO, nullptr, 16};
    stage.pNext = &size;
    stage.flags = 0;
    EXPECT_EQ(makeCompute(stage), VK_SUCCESS);
    EXPECT_EQ(last().requiredSubgroupSize, 16u);
    EXPECT_EQ(last().chain.size(), 1u);
}

// 48 invocations are no whole subgroups of 32, but of 16; 8 are one of 8.
TEST_F(ShaderRoutes, SubgroupSizeThatFits) {
    stop();
    driver.minSubgroupSize = 8;
    start();
    for (const auto& [invocations, size] : {std::pair{"48", 16u}, std::pair{"8", 8u}}) {
        std::string text = multiplyModule(16, 16, 16);
        const size_t at = text.find("LocalSize 32 ");
        ASSERT_NE(at, text.npos);
        text.replace(at + 10, 2, invocations);
        EXPECT_EQ(makeCompute(stageOf(makeModule(assemble(text)))), VK_SUCCESS);
        EXPECT_EQ(last().requiredSubgroupSize, size);
        EXPECT_TRUE(isRewritten(last().words));
    }
}

// The layer makes and destroys every module with the application's allocator.
TEST_F(ShaderRoutes, Allocators) {
    const TestAllocator memory;
    const VkAllocationCallbacks* allocator = memory.callbacks();
    const VkShaderModuleCreateInfo code = infoOf(matrix);
    VkShaderModule module = VK_NULL_HANDLE;
    driver.allocators.clear();
    EXPECT_EQ(COOPVK_DEVICE_COMMAND(driver, device, vkCreateShaderModule)(device, &code, allocator,
                                                                          &module),
              VK_SUCCESS);
    VkComputePipelineCreateInfo info = {VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
    info.stage = stageOf(module);
    VkPipeline pipeline = VK_NULL_HANDLE;
    EXPECT_EQ(COOPVK_DEVICE_COMMAND(driver, device, vkCreateComputePipelines)(
                  device, VK_NULL_HANDLE, 1, &info, allocator, &pipeline),
              VK_SUCCESS);
    COOPVK_DEVICE_COMMAND(driver, device, vkDestroyShaderModule)(device, module, allocator);
    EXPECT_EQ(driver.allocators, (std::set<const VkAllocationCallbacks*>{allocator}));
    COOPVK_DEVICE_COMMAND(driver, device, vkDestroyPipeline)(device, pipeline, allocator);
    EXPECT_EQ(memory.living(), 0);
    EXPECT_EQ(driver.objects.mistakes(), 0u);
}

}  // namespace
}  // namespace coopvk::test::routes_test
