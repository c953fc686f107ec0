// SPDX-License-Identifier: Apache-2.0
#include "drawing.hpp"

namespace coopvk::test {

Words triangleVertexShader() {
    return compileGlslStage(VK_SHADER_STAGE_VERTEX_BIT, R"(#version 460
void main() {
    gl_Position = vec4(gl_VertexIndex == 1 ? 3 : -1, gl_VertexIndex == 2 ? 3 : -1, 0.5, 1);
}
)");
}

Words pictureFragmentShader(int summand) {
    return compileGlslStage(
        VK_SHADER_STAGE_FRAGMENT_BIT,
        stageHeader() + "layout(constant_id = 1) const int FACTOR = 2;\nvoid main() {\n" +
            "    uint pixel = uint(gl_FragCoord.y) * " + std::to_string(kPictureSize) +
            " + uint(gl_FragCoord.x);\n    d.v[pixel] = a.v[pixel] * FACTOR + " +
            std::to_string(summand) + ";\n}\n");
}

GraphicsState::GraphicsState()
    : viewport{0, 0, kPictureSize, kPictureSize, 0, 1},
      scissor{{0, 0}, {kPictureSize, kPictureSize}},
      vertexInput{VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO},
      assembly{VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO},
      viewports{VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO},
      rasterization{VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO},
      multisample{VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO},
      depthStencil{VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO},
      blend{VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO},
      rendering{VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO} {
    assembly.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
    viewports.viewportCount = viewports.scissorCount = 1;
    viewports.pViewports = &viewport;
    viewports.pScissors = &scissor;
    rasterization.lineWidth = 1;
    multisample.rasterizationSamples = VK_SAMPLE_COUNT_1_BIT;
}

VkGraphicsPipelineCreateInfo GraphicsState::info(
    const StageLayout& layout, std::span<const VkPipelineShaderStageCreateInfo> stages) {
    VkGraphicsPipelineCreateInfo info{VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO, &rendering};
    info.stageCount = static_cast<uint32_t>(stages.size());
    info.pStages = stages.data();
    info.pVertexInputState = &vertexInput;
    info.pInputAssemblyState = &assembly;
    info.pViewportState = &viewports;
    info.pRasterizationState = &rasterization;
    info.pMultisampleState = &multisample;
    info.pDepthStencilState = &depthStencil;
    info.pColorBlendState = &blend;
    info.layout = layout.handle;
    return info;
}

Bytes drawPicture(const StageLayout& layout, const std::function<void(VkCommandBuffer)>& bind) {
    return runCommands({ramp(kPixels), poison(kPixels)},
                       [&](Commands& commands, const Memory& memory) {
                           VkRenderingInfo info{VK_STRUCTURE_TYPE_RENDERING_INFO};
                           info.renderArea = {{0, 0}, {kPictureSize, kPictureSize}};
                           info.layerCount = 1;
                           vkCmdBeginRendering(commands.primary, &info);
                           bind(commands.primary);
                           layout.push(commands.primary, memory.address(0), memory.address(1));
                           vkCmdDraw(commands.primary, 3, 1, 0, 0);
                           vkCmdEndRendering(commands.primary);
                       })[1];
}

Bytes drawPicture(const StageLayout& layout, VkPipeline pipeline) {
    return drawPicture(layout, [&](VkCommandBuffer commands) {
        vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    });
}

void setDrawState(VkCommandBuffer commands) {
    const GraphicsState state;
    const VkSampleMask mask = 1;
    vkCmdSetViewportWithCount(commands, 1, &state.viewport);
    vkCmdSetScissorWithCount(commands, 1, &state.scissor);
    vkCmdSetRasterizerDiscardEnable(commands, VK_FALSE);
    vkCmdSetVertexInputEXT(commands, 0, nullptr, 0, nullptr);
    vkCmdSetPrimitiveTopology(commands, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST);
    vkCmdSetPrimitiveRestartEnable(commands, VK_FALSE);
    vkCmdSetRasterizationSamplesEXT(commands, VK_SAMPLE_COUNT_1_BIT);
    vkCmdSetSampleMaskEXT(commands, VK_SAMPLE_COUNT_1_BIT, &mask);
    vkCmdSetAlphaToCoverageEnableEXT(commands, VK_FALSE);
    vkCmdSetAlphaToOneEnableEXT(commands, VK_FALSE);
    vkCmdSetLogicOpEnableEXT(commands, VK_FALSE);
    vkCmdSetPolygonModeEXT(commands, VK_POLYGON_MODE_FILL);
    vkCmdSetCullMode(commands, VK_CULL_MODE_NONE);
    vkCmdSetFrontFace(commands, VK_FRONT_FACE_COUNTER_CLOCKWISE);
    vkCmdSetDepthTestEnable(commands, VK_FALSE);
    vkCmdSetDepthWriteEnable(commands, VK_FALSE);
    vkCmdSetDepthBiasEnable(commands, VK_FALSE);
    vkCmdSetDepthBoundsTestEnable(commands, VK_FALSE);
    vkCmdSetDepthClampEnableEXT(commands, VK_FALSE);
    vkCmdSetStencilTestEnable(commands, VK_FALSE);
}

}  // namespace coopvk::test
