// SPDX-License-Identifier: Apache-2.0
#include "stages.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstring>

namespace coopvk::test {

StageLayout::StageLayout(VkShaderStageFlags stages)
    : range{stages, 0, 2 * sizeof(VkDeviceAddress)} {
    VkPipelineLayoutCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    info.pushConstantRangeCount = 1;
    info.pPushConstantRanges = &range;
    COOPVK_CHECK(vkCreatePipelineLayout(Context::get().device, &info, nullptr, &handle));
}

StageLayout::~StageLayout() { vkDestroyPipelineLayout(Context::get().device, handle, nullptr); }

void StageLayout::push(VkCommandBuffer commands, VkDeviceAddress a, VkDeviceAddress d) const {
    const std::array<VkDeviceAddress, 2> addresses{a, d};
    vkCmdPushConstants(commands, handle, range.stageFlags, 0, sizeof(addresses), addresses.data());
}

std::string stageHeader(std::string_view moreExtensions) {
    return "#version 460\n#extension GL_EXT_buffer_reference : require\n" +
           std::string(moreExtensions) + stageBuffers();
}

std::string stageBuffers() {
    return "layout(buffer_reference, std430, buffer_reference_align = 4) buffer Floats "
           "{ float v[]; };\n"
           "layout(push_constant) uniform Push { Floats a; Floats d; };\n";
}

Module::Module(const Words& words) {
    VkShaderModuleCreateInfo info{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
    info.codeSize = words.size() * sizeof(uint32_t);
    info.pCode = words.data();
    COOPVK_CHECK(vkCreateShaderModule(Context::get().device, &info, nullptr, &handle));
}

Module::~Module() { vkDestroyShaderModule(Context::get().device, handle, nullptr); }

VkPipelineShaderStageCreateInfo stageInfo(VkShaderStageFlagBits stage, VkShaderModule module) {
    VkPipelineShaderStageCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO};
    info.stage = stage;
    info.module = module;
    info.pName = "main";
    return info;
}

Bytes ramp(size_t count) {
    Bytes bytes(count * sizeof(float));
    for (size_t i = 0; i < count; ++i) {
        const float value = static_cast<float>(i) + 0.5f;
        std::memcpy(&bytes[i * sizeof(float)], &value, sizeof(value));
    }
    return bytes;
}

Bytes poison(size_t count) { return Bytes(count * sizeof(float), std::byte{0xcd}); }

void expectScaledRamp(const Bytes& d, double factor, double summand) {
    const size_t count = d.size() / sizeof(float);
    ASSERT_GT(count, 0u);
    for (size_t i = 0; i < count; ++i) {
        float value = 0;
        std::memcpy(&value, &d[i * sizeof(float)], sizeof(value));
        EXPECT_EQ(value, factor * (static_cast<double>(i) + 0.5) + summand) << i;
    }
}

}  // namespace coopvk::test
