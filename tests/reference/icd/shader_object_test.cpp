// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>

#include "programs.hpp"
#include "size.spv.h"

namespace coopvk::reference::test::shader_object_test {
namespace {

constexpr auto kStorage = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;

class ShaderObjects : public Vulkan {
 protected:
    VkShaderEXT make(const Layout& layout, VkShaderCodeTypeEXT type, size_t size, const void* code,
                     VkResult expected = VK_SUCCESS) {
        const VkShaderRequiredSubgroupSizeCreateInfoEXT required{
            VK_STRUCTURE_TYPE_SHADER_REQUIRED_SUBGROUP_SIZE_CREATE_INFO_EXT, nullptr, 64};
        VkShaderCreateInfoEXT info{VK_STRUCTURE_TYPE_SHADER_CREATE_INFO_EXT, &required};
        info.stage = VK_SHADER_STAGE_COMPUTE_BIT;
        info.codeType = type;
        info.codeSize = size;
        info.pCode = code;
        info.pName = "main";
        info.setLayoutCount = 1;
        info.pSetLayouts = &layout.set;
        const VkPushConstantRange range{VK_SHADER_STAGE_COMPUTE_BIT, 0, 16};
        info.pushConstantRangeCount = 1;
        info.pPushConstantRanges = &range;
        VkShaderEXT shader = VK_NULL_HANDLE;
        EXPECT_EQ(vkCreateShadersEXT(device, 1, &info, nullptr, &shader), expected);
        return shader;
    }
};

// From words, and from the binary of that.
TEST_F(ShaderObjects, WordsAndBinaries) {
    Layout layout(device, {binding(0, kStorage)});
    const VkDescriptorSet set = layout.allocate();
    Words result(device, {0, 0});
    const VkDescriptorBufferInfo info = result.info();
    const VkWriteDescriptorSet change = write(set, 0, kStorage, {&info, 1});
    vkUpdateDescriptorSets(device, 1, &change, 0, nullptr);

    const VkShaderEXT first =
        make(layout, VK_SHADER_CODE_TYPE_SPIRV_EXT, sizeof(kSizeWords), kSizeWords);
    size_t size = 0;
    ASSERT_VK(vkGetShaderBinaryDataEXT(device, first, &size, nullptr));
    std::vector<uint64_t> binary(size / 8 + 1);
    ASSERT_VK(vkGetShaderBinaryDataEXT(device, first, &size, binary.data()));
    const VkShaderEXT second = make(layout, VK_SHADER_CODE_TYPE_BINARY_EXT, size, binary.data());
    for (const VkShaderEXT shader : {first, second}) {
        EXPECT_VK(run([&](VkCommandBuffer commands) {
            const VkShaderStageFlagBits stage = VK_SHADER_STAGE_COMPUTE_BIT;
            vkCmdFillBuffer(commands, result.buffer, 0, 8, 0);
            fullBarrier(commands);
            vkCmdBindShadersEXT(commands, 1, &stage, &shader);
            vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout.pipelines, 0,
                                    1, &set, 0, nullptr);
            vkCmdDispatch(commands, 1, 1, 1);
        }));
        EXPECT_EQ(result.values(), (std::vector<uint32_t>{64, 2}));
        vkDestroyShaderEXT(device, shader, nullptr);
    }
}

TEST_F(ShaderObjects, DestroyedBeforeExecution) {
    if (std::getenv("VK_INSTANCE_LAYERS") != nullptr)
        GTEST_SKIP() << "the validation layer reports it";
    Layout layout(device, {binding(0, kStorage)});
    const VkShaderEXT shader =
        make(layout, VK_SHADER_CODE_TYPE_SPIRV_EXT, sizeof(kSizeWords), kSizeWords);
    const VkCommandBuffer commands = allocate();
    const VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    ASSERT_VK(vkBeginCommandBuffer(commands, &begin));
    const VkShaderStageFlagBits stage = VK_SHADER_STAGE_COMPUTE_BIT;
    vkCmdBindShadersEXT(commands, 1, &stage, &shader);
    vkCmdDispatch(commands, 1, 1, 1);
    EXPECT_VK(vkEndCommandBuffer(commands));
    vkDestroyShaderEXT(device, shader, nullptr);
    VkSubmitInfo info{VK_STRUCTURE_TYPE_SUBMIT_INFO};
    info.commandBufferCount = 1;
    info.pCommandBuffers = &commands;
    EXPECT_EQ(vkQueueSubmit(queue, 1, &info, VK_NULL_HANDLE), VK_ERROR_VALIDATION_FAILED_EXT);
    const std::vector<std::string> messages = takeMessages();
    ASSERT_EQ(messages.size(), 1u);
    EXPECT_EQ(messages[0].find("coopvk-reference-usage"), 0u) << messages[0];
}

TEST_F(ShaderObjects, BrokenBinariesAreRefused) {
    Layout layout(device, {binding(0, kStorage)});
    const std::vector<uint64_t> broken(64, 7);
    for (const size_t size : {8u, 16u, 512u})
        make(layout, VK_SHADER_CODE_TYPE_BINARY_EXT, size, broken.data(),
             VK_INCOMPATIBLE_SHADER_BINARY_EXT);
}

}  // namespace
}  // namespace coopvk::reference::test::shader_object_test
