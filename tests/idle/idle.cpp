// SPDX-License-Identifier: Apache-2.0
//
// An application that does not use coopvk. scripts/bench-idle counts instructions, with and without
// the layer, in the functions whose names begin with "measure".
#include <volk.h>

#include "gpu_setup.hpp"
#include "idle_compute.spv.h"
#include "idle_fragment.spv.h"
#include "idle_vertex.spv.h"

namespace {

constexpr uint32_t kPipelines = 20, kCommands = 1000;

using coopvk::vulkan::check;

struct Idle {
    VkInstance instance = VK_NULL_HANDLE;
    VkPhysicalDevice physical = VK_NULL_HANDLE;
    VkDevice device = VK_NULL_HANDLE;
    VkPipelineLayout layout = VK_NULL_HANDLE;
    VkCommandPool pool = VK_NULL_HANDLE;
    VkCommandBuffer commands = VK_NULL_HANDLE;
    VkPipeline graphics = VK_NULL_HANDLE, compute = VK_NULL_HANDLE;
};

void start(Idle& idle) {
    idle.instance = coopvk::vulkan::createInstance("coopvk_idle", VK_API_VERSION_1_3);
    volkLoadInstance(idle.instance);
    idle.physical = coopvk::vulkan::physicalDevice(idle.instance, vkEnumeratePhysicalDevices, 0);
    VkPhysicalDeviceVulkan13Features features = {
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES};
    features.dynamicRendering = VK_TRUE;
    idle.device = coopvk::vulkan::createDevice(idle.physical, vkCreateDevice, 0, {}, &features);
    volkLoadDevice(idle.device);
    const VkPushConstantRange range = {VK_SHADER_STAGE_COMPUTE_BIT, 0, 16};
    VkPipelineLayoutCreateInfo layout = {VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    layout.pushConstantRangeCount = 1;
    layout.pPushConstantRanges = &range;
    check(vkCreatePipelineLayout(idle.device, &layout, nullptr, &idle.layout), "layout");
    VkCommandPoolCreateInfo pool = {VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    check(vkCreateCommandPool(idle.device, &pool, nullptr, &idle.pool), "command pool");
    VkCommandBufferAllocateInfo allocate = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
    allocate.commandPool = idle.pool;
    allocate.commandBufferCount = 1;
    check(vkAllocateCommandBuffers(idle.device, &allocate, &idle.commands), "command buffer");
}

// A stage, with a constant of its own, so that no two pipelines are the same.
struct Stage {
    Stage(const Idle& idle, VkShaderStageFlagBits kind, const uint32_t* words, size_t size,
          float scale)
        : device(idle.device), value(scale) {
        VkShaderModuleCreateInfo code = {VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
        code.codeSize = size;
        code.pCode = words;
        info.stage = kind;
        info.pName = "main";
        info.pSpecializationInfo = &special;
        check(vkCreateShaderModule(device, &code, nullptr, &info.module), "shader module");
    }
    ~Stage() { vkDestroyShaderModule(device, info.module, nullptr); }
    Stage(const Stage&) = delete;
    Stage& operator=(const Stage&) = delete;

    VkDevice device;
    float value;
    VkSpecializationMapEntry entry = {0, 0, sizeof(float)};
    VkSpecializationInfo special = {1, &entry, sizeof(float), &value};
    VkPipelineShaderStageCreateInfo info = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO};
};

VkPipeline makeCompute(const Idle& idle, float scale) {
    const Stage stage(idle, VK_SHADER_STAGE_COMPUTE_BIT, kIdleComputeWords,
                      sizeof kIdleComputeWords, scale);
    VkComputePipelineCreateInfo info = {VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
    info.stage = stage.info;
    info.layout = idle.layout;
    VkPipeline pipeline = VK_NULL_HANDLE;
    check(vkCreateComputePipelines(idle.device, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline),
          "vkCreateComputePipelines");
    return pipeline;
}

VkPipeline makeGraphics(const Idle& idle, float scale) {
    const Stage vertex(idle, VK_SHADER_STAGE_VERTEX_BIT, kIdleVertexWords, sizeof kIdleVertexWords,
                       scale);
    const Stage fragment(idle, VK_SHADER_STAGE_FRAGMENT_BIT, kIdleFragmentWords,
                         sizeof kIdleFragmentWords, scale);
    const VkPipelineShaderStageCreateInfo stages[] = {vertex.info, fragment.info};
    const VkPipelineVertexInputStateCreateInfo input = {
        VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
    VkPipelineInputAssemblyStateCreateInfo assembly = {
        VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO};
    assembly.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
    const VkViewport port = {0, 0, 64, 64, 0, 1};
    const VkRect2D scissor = {{0, 0}, {64, 64}};
    VkPipelineViewportStateCreateInfo viewport = {
        VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO};
    viewport.viewportCount = viewport.scissorCount = 1;
    viewport.pViewports = &port;
    viewport.pScissors = &scissor;
    VkPipelineRasterizationStateCreateInfo raster = {
        VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO};
    raster.lineWidth = 1;
    VkPipelineMultisampleStateCreateInfo samples = {
        VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO};
    samples.rasterizationSamples = VK_SAMPLE_COUNT_1_BIT;
    const VkPipelineColorBlendStateCreateInfo blend = {
        VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO};
    const VkPipelineRenderingCreateInfo rendering = {
        VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO};
    VkGraphicsPipelineCreateInfo info = {VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
                                         &rendering};
    info.stageCount = 2;
    info.pStages = stages;
    info.pVertexInputState = &input;
    info.pInputAssemblyState = &assembly;
    info.pViewportState = &viewport;
    info.pRasterizationState = &raster;
    info.pMultisampleState = &samples;
    info.pColorBlendState = &blend;
    info.layout = idle.layout;
    VkPipeline pipeline = VK_NULL_HANDLE;
    check(vkCreateGraphicsPipelines(idle.device, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline),
          "vkCreateGraphicsPipelines");
    return pipeline;
}

void begin(const Idle& idle) {
    const VkCommandBufferBeginInfo info = {VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    check(vkBeginCommandBuffer(idle.commands, &info), "vkBeginCommandBuffer");
}

}  // namespace

extern "C" {

__attribute__((noinline)) void measurePipelines(Idle* idle) {
    for (uint32_t i = 0; i < kPipelines; ++i) {
        const auto scale = static_cast<float>(i + 1);
        const VkPipeline made[] = {makeGraphics(*idle, scale), makeCompute(*idle, scale)};
        for (VkPipeline pipeline : made) vkDestroyPipeline(idle->device, pipeline, nullptr);
    }
}

__attribute__((noinline)) void measureDraws(Idle* idle) {
    for (uint32_t i = 0; i < kCommands; ++i) vkCmdDraw(idle->commands, 3, 1, i, 0);
}

__attribute__((noinline)) void measureDispatches(Idle* idle) {
    for (uint32_t i = 0; i < kCommands; ++i) vkCmdDispatch(idle->commands, i + 1, 1, 1);
}
}

int main() {
    Idle idle;
    start(idle);
    idle.graphics = makeGraphics(idle, 0.5f);
    idle.compute = makeCompute(idle, 0.5f);
    measurePipelines(&idle);

    begin(idle);
    VkRenderingInfo rendering = {VK_STRUCTURE_TYPE_RENDERING_INFO};
    rendering.renderArea.extent = {64, 64};
    rendering.layerCount = 1;
    vkCmdBeginRendering(idle.commands, &rendering);
    vkCmdBindPipeline(idle.commands, VK_PIPELINE_BIND_POINT_GRAPHICS, idle.graphics);
    measureDraws(&idle);
    vkCmdEndRendering(idle.commands);
    vkCmdBindPipeline(idle.commands, VK_PIPELINE_BIND_POINT_COMPUTE, idle.compute);
    measureDispatches(&idle);
    check(vkEndCommandBuffer(idle.commands), "vkEndCommandBuffer");

    vkDestroyCommandPool(idle.device, idle.pool, nullptr);
    vkDestroyPipeline(idle.device, idle.graphics, nullptr);
    vkDestroyPipeline(idle.device, idle.compute, nullptr);
    vkDestroyPipelineLayout(idle.device, idle.layout, nullptr);
    vkDestroyDevice(idle.device, nullptr);
    vkDestroyInstance(idle.instance, nullptr);
    return 0;
}
