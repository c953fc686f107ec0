// SPDX-License-Identifier: Apache-2.0
//
// A device through the layer, above a driver that records its calls, and the ways in which a shader
// reaches it.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <vector>

#include "fakes/fake_driver.hpp"

namespace coopvk::test {

Words matrixShader();
Words plainShader();
bool isRewritten(const Words& words);

class ShaderRoutes : public testing::Test {
 protected:
    ShaderRoutes() : matrix(matrixShader()), plain(plainShader()) {
        setenv("COOPVK_EMULATE", "auto", 1);
        start();
    }
    ~ShaderRoutes() override {
        stop();
        EXPECT_TRUE(driver.modules.empty()) << driver.modules.size() << " modules left";
        unsetenv("COOPVK_EMULATE");
    }
    void start() {
        driver.makeInstance();
        device = driver.makeMatrixDevice();
        ASSERT_NE(device, nullptr);
    }
    // With its modules.
    void stop() {
        for (VkShaderModule module : made) destroyModule(module);
        made.clear();
        driver.during["vkDestroyDevice"] = [this] {
            EXPECT_TRUE(driver.modules.empty()) << "they outlive their device";
        };
        if (device != VK_NULL_HANDLE) driver.destroyDevice(device);
        device = VK_NULL_HANDLE;
        driver.destroyInstance();
    }

    static VkShaderModuleCreateInfo infoOf(const Words& words) {
        VkShaderModuleCreateInfo info = {VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
        info.codeSize = words.size() * 4;
        info.pCode = words.data();
        return info;
    }
    VkShaderModule makeModule(const Words& words) {
        const VkShaderModuleCreateInfo info = infoOf(words);
        VkShaderModule module = VK_NULL_HANDLE;
        EXPECT_EQ(COOPVK_DEVICE_COMMAND(driver, device, vkCreateShaderModule)(device, &info,
                                                                              nullptr, &module),
                  VK_SUCCESS);
        made.push_back(module);
        return module;
    }
    void destroyModule(VkShaderModule module) {
        COOPVK_DEVICE_COMMAND(driver, device, vkDestroyShaderModule)(device, module, nullptr);
    }
    VkPipelineShaderStageCreateInfo stageOf(VkShaderModule module) {
        VkPipelineShaderStageCreateInfo stage = {
            VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO};
        stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
        stage.module = module;
        stage.pName = "main";
        return stage;
    }
    VkResult makeCompute(const VkPipelineShaderStageCreateInfo& stage) {
        VkComputePipelineCreateInfo info = {VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
        info.stage = stage;
        VkPipeline pipeline = VK_NULL_HANDLE;
        const VkResult result = COOPVK_DEVICE_COMMAND(driver, device, vkCreateComputePipelines)(
            device, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline);
        EXPECT_EQ(pipeline != VK_NULL_HANDLE, result == VK_SUCCESS);
        return result;
    }
    const SeenStage& last(size_t stage = 0) { return driver.pipelines.back().stages.at(stage); }

    FakeDriver driver;
    VkDevice device = VK_NULL_HANDLE;
    const Words matrix, plain;
    std::vector<VkShaderModule> made;
};

}  // namespace coopvk::test
