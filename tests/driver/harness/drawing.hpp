// SPDX-License-Identifier: Apache-2.0
//
// The smallest possible drawing: one triangle over 4 by 4 pixels, without attachments.
#pragma once

#include <functional>
#include <span>

#include "stages.hpp"

namespace coopvk::test {

inline constexpr uint32_t kPictureSize = 4;
inline constexpr uint32_t kPixels = kPictureSize * kPictureSize;

// The triangle from the vertex index.
Words triangleVertexShader();
// d[pixel] = a[pixel] * FACTOR + summand, FACTOR being specialization constant 1, else 2.
Words pictureFragmentShader(int summand);

// Everything to which VkGraphicsPipelineCreateInfo points, except shaders: fixed state without
// attachments, static viewport and scissor.
struct GraphicsState {
    GraphicsState();
    GraphicsState(const GraphicsState&) = delete;
    GraphicsState& operator=(const GraphicsState&) = delete;
    // All of it; with the stages of a whole pipeline.
    VkGraphicsPipelineCreateInfo info(const StageLayout& layout,
                                      std::span<const VkPipelineShaderStageCreateInfo> stages);

    VkViewport viewport;
    VkRect2D scissor;
    VkPipelineVertexInputStateCreateInfo vertexInput;
    VkPipelineInputAssemblyStateCreateInfo assembly;
    VkPipelineViewportStateCreateInfo viewports;
    VkPipelineRasterizationStateCreateInfo rasterization;
    VkPipelineMultisampleStateCreateInfo multisample;
    VkPipelineDepthStencilStateCreateInfo depthStencil;
    VkPipelineColorBlendStateCreateInfo blend;
    VkPipelineRenderingCreateInfo rendering;
};

// Draws, and returns what the fragments wrote.
Bytes drawPicture(const StageLayout& layout, const std::function<void(VkCommandBuffer)>& bind);
// With a pipeline.
Bytes drawPicture(const StageLayout& layout, VkPipeline pipeline);

// All the state that shader objects leave to commands.
void setDrawState(VkCommandBuffer commands);

}  // namespace coopvk::test
