// SPDX-License-Identifier: Apache-2.0
//
// A fixture for use that Vulkan does not allow: errors and messages, and nothing else happens.
#pragma once

#include <cstdlib>
#include <limits>

#include "programs.hpp"

namespace coopvk::reference::test {

class BadUse : public Vulkan {
 protected:
    void SetUp() override {
        if (std::getenv("VK_INSTANCE_LAYERS") != nullptr)
            GTEST_SKIP() << "the validation layer reports it";
        Vulkan::SetUp();
    }
    void TearDown() override {
        if (device != VK_NULL_HANDLE) Vulkan::TearDown();
    }

    void expectMessages(const std::string& id) {
        const std::vector<std::string> messages = takeMessages();
        ASSERT_FALSE(messages.empty());
        for (const std::string& message : messages) EXPECT_EQ(message.find(id), 0u) << message;
    }

    // Without the checks of Layout::pipeline.
    VkResult create(const Layout& layout, std::span<const uint32_t> words, const char* entry,
                    const VkSpecializationInfo* specialization = nullptr, uint32_t lanes = 32) {
        const VkShaderModuleCreateInfo code{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, nullptr, 0,
                                            words.size_bytes(), words.data()};
        const VkPipelineShaderStageRequiredSubgroupSizeCreateInfo required{
            VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO, nullptr,
            lanes};
        VkShaderModule module = VK_NULL_HANDLE;
        EXPECT_VK(vkCreateShaderModule(device, &code, nullptr, &module));
        VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
        info.layout = layout.pipelines;
        info.stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                      &required,
                      0,
                      VK_SHADER_STAGE_COMPUTE_BIT,
                      module,
                      entry,
                      specialization};
        VkPipeline pipeline = VK_NULL_HANDLE;
        const VkResult result =
            vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline);
        EXPECT_EQ(pipeline != VK_NULL_HANDLE, result == VK_SUCCESS);
        vkDestroyPipeline(device, pipeline, nullptr);
        vkDestroyShaderModule(device, module, nullptr);
        return result;
    }

    VkCommandBuffer begun() {
        const VkCommandBuffer commands = allocate();
        const VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
        EXPECT_VK(vkBeginCommandBuffer(commands, &begin));
        return commands;
    }

    VkResult submit(VkCommandBuffer commands) {
        VkSubmitInfo info{VK_STRUCTURE_TYPE_SUBMIT_INFO};
        info.commandBufferCount = 1;
        info.pCommandBuffers = &commands;
        return vkQueueSubmit(queue, 1, &info, VK_NULL_HANDLE);
    }

    // Records; the recording must fail.
    void expectRefused(const std::function<void(VkCommandBuffer)>& commands) {
        const VkCommandBuffer buffer = begun();
        commands(buffer);
        EXPECT_EQ(vkEndCommandBuffer(buffer), VK_ERROR_VALIDATION_FAILED_EXT);
        EXPECT_EQ(submit(buffer), VK_ERROR_VALIDATION_FAILED_EXT);
        expectMessages("coopvk-reference-usage");
    }
};

}  // namespace coopvk::reference::test
