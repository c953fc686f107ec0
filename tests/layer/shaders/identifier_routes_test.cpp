// SPDX-License-Identifier: Apache-2.0
//
// Shaders by their identifiers, and keys and binaries of pipelines: few real drivers have them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "assemble.hpp"
#include "fakes/shader_routes.hpp"

namespace coopvk::test::identifier_routes_test {
namespace {

TEST_F(ShaderRoutes, IdentifiersAreOurs) {
    const VkShaderModule module = makeModule(matrix);
    VkShaderModuleIdentifierEXT byModule = {VK_STRUCTURE_TYPE_SHADER_MODULE_IDENTIFIER_EXT};
    VkShaderModuleIdentifierEXT byInfo = byModule, ofStub = byModule;
    COOPVK_DEVICE_COMMAND(driver, device, vkGetShaderModuleIdentifierEXT)
    (device, module, &byModule);
    const VkShaderModuleCreateInfo info = infoOf(matrix);
    COOPVK_DEVICE_COMMAND(driver, device, vkGetShaderModuleCreateInfoIdentifierEXT)
    (device, &info, &byInfo);
    EXPECT_EQ(byModule.identifierSize, 32u);
    EXPECT_EQ(std::memcmp(byModule.identifier, byInfo.identifier, 32), 0);
    COOPVK_DEVICE_COMMAND(driver, device, vkGetShaderModuleIdentifierEXT)
    (device, makeModule(plain), &ofStub);
    EXPECT_EQ(ofStub.identifierSize, 8u) << "the driver's own";
    const VkShaderModuleCreateInfo plainInfo = infoOf(plain);
    COOPVK_DEVICE_COMMAND(driver, device, vkGetShaderModuleCreateInfoIdentifierEXT)
    (device, &plainInfo, &ofStub);
    EXPECT_EQ(ofStub.identifierSize, 8u) << "the driver's own";
    VkShaderModuleCreateInfo half = infoOf(matrix);
    half.codeSize -= 2;
    COOPVK_DEVICE_COMMAND(driver, device, vkGetShaderModuleCreateInfoIdentifierEXT)
    (device, &half, &ofStub);
    EXPECT_EQ(ofStub.identifierSize, 8u) << "no whole words: the driver's own";

    // A pipeline from the identifier alone.
    VkPipelineShaderStageModuleIdentifierCreateInfoEXT named = {
        VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_MODULE_IDENTIFIER_CREATE_INFO_EXT};
    named.identifierSize = byModule.identifierSize;
    named.pIdentifier = byModule.identifier;
    VkPipelineShaderStageCreateInfo stage = stageOf(VK_NULL_HANDLE);
    stage.pNext = &named;
    EXPECT_EQ(makeCompute(stage), VK_SUCCESS);
    EXPECT_TRUE(isRewritten(last().words));
    EXPECT_EQ(last().chain.size(), 0u);
}

class PipelineKeys : public ShaderRoutes {
 protected:
    std::string key(const void* pipeline) {
        VkPipelineCreateInfoKHR info = {VK_STRUCTURE_TYPE_PIPELINE_CREATE_INFO_KHR,
                                        const_cast<void*>(pipeline)};
        VkPipelineBinaryKeyKHR out = {VK_STRUCTURE_TYPE_PIPELINE_BINARY_KEY_KHR};
        EXPECT_EQ(COOPVK_DEVICE_COMMAND(driver, device, vkGetPipelineKeyKHR)(
                      device, pipeline == nullptr ? nullptr : &info, &out),
                  VK_SUCCESS);
        return std::string(reinterpret_cast<char*>(out.key), out.keySize);
    }
    std::string computeKey(const Words& words) {
        VkComputePipelineCreateInfo info = {VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
        info.stage = stageOf(makeModule(words));
        return key(&info);
    }
    // Of two stages, the second of which is rewritten.
    template <typename Info>
    void expectKeyOfStages(VkStructureType type) {
        const VkPipelineShaderStageCreateInfo stages[] = {stageOf(makeModule(plain)),
                                                          stageOf(makeModule(matrix))};
        Info info = {type};
        info.stageCount = 2;
        info.pStages = stages;
        EXPECT_EQ(key(&info).size(), 32u);
        EXPECT_EQ(last(0).words, plain);
        EXPECT_TRUE(isRewritten(last(1).words));
        EXPECT_EQ(info.pStages, stages);
    }
};

TEST_F(PipelineKeys, OfRewrittenPipelines) {
    const std::string matrixKey = computeKey(matrix);
    EXPECT_TRUE(isRewritten(last().words));
    EXPECT_EQ(matrixKey.size(), 32u);
    EXPECT_EQ(computeKey(matrix), matrixKey);
    EXPECT_NE(computeKey(assemble(multiplyModule(8, 16, 16))), matrixKey);
    EXPECT_EQ(computeKey(plain).size(), 8u) << "the driver's own";
    EXPECT_EQ(last().words, plain);
}

TEST_F(PipelineKeys, DependOnSettings) {
    const std::string matrixKey = computeKey(matrix), plainKey = computeKey(plain);
    const std::string global = key(nullptr);
    stop();
    setenv("COOPVK_EMULATE", "all", 1);
    start();
    EXPECT_NE(computeKey(matrix), matrixKey);
    EXPECT_NE(key(nullptr), global);
    EXPECT_EQ(computeKey(plain), plainKey);
}

TEST_F(PipelineKeys, OfGraphicsPipelines) {
    expectKeyOfStages<VkGraphicsPipelineCreateInfo>(
        VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO);
}

TEST_F(PipelineKeys, OfRayTracingPipelines) {
    expectKeyOfStages<VkRayTracingPipelineCreateInfoKHR>(
        VK_STRUCTURE_TYPE_RAY_TRACING_PIPELINE_CREATE_INFO_KHR);
}

#ifdef VK_AMDX_shader_enqueue
TEST_F(PipelineKeys, OfExecutionGraphs) {
    expectKeyOfStages<VkExecutionGraphPipelineCreateInfoAMDX>(
        VK_STRUCTURE_TYPE_EXECUTION_GRAPH_PIPELINE_CREATE_INFO_AMDX);
}
#endif

TEST_F(PipelineKeys, BinariesFromACreateInfo) {
    VkComputePipelineCreateInfo compute = {VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
    compute.stage = stageOf(makeModule(matrix));
    VkPipelineCreateInfoKHR outer = {VK_STRUCTURE_TYPE_PIPELINE_CREATE_INFO_KHR, &compute};
    VkPipelineBinaryCreateInfoKHR info = {VK_STRUCTURE_TYPE_PIPELINE_BINARY_CREATE_INFO_KHR};
    info.pPipelineCreateInfo = &outer;
    VkPipelineBinaryHandlesInfoKHR out = {VK_STRUCTURE_TYPE_PIPELINE_BINARY_HANDLES_INFO_KHR};
    const auto create = COOPVK_DEVICE_COMMAND(driver, device, vkCreatePipelineBinariesKHR);
    EXPECT_EQ(create(device, &info, nullptr, &out), VK_SUCCESS);
    EXPECT_TRUE(isRewritten(last().words));
    EXPECT_EQ(outer.pNext, &compute);
    // Binaries that the application kept carry no words.
    driver.pipelines.clear();
    info.pPipelineCreateInfo = nullptr;
    EXPECT_EQ(create(device, &info, nullptr, &out), VK_SUCCESS);
    EXPECT_TRUE(driver.pipelines.empty());
}

}  // namespace
}  // namespace coopvk::test::identifier_routes_test
