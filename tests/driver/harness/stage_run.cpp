// SPDX-License-Identifier: Apache-2.0
#include "stage_run.hpp"

#include <cstdlib>

#include "drawing.hpp"
#include "stage_source.hpp"

namespace coopvk::test {
namespace {

constexpr uint32_t kWidth = 13;
constexpr uint32_t kHeight = kStageInvocations / kWidth;

// ---------------------------------------------------------------------------------------------
// Compute

std::vector<Bytes> runCompute(const Words& words, const std::vector<Bytes>& buffers) {
    Run run(buffers, 0);
    const Module module(words);
    VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
    info.stage = stageInfo(kCompute, module.handle);
    info.layout = run.layout().handle;
    Pipeline pipeline;
    COOPVK_CHECK(vkCreateComputePipelines(Context::get().device, VK_NULL_HANDLE, 1, &info, nullptr,
                                          &pipeline.handle));
    return run.submit([&](VkCommandBuffer commands) {
        vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline.handle);
        vkCmdDispatch(commands, 1, 1, 1);
    });
}

// ---------------------------------------------------------------------------------------------
// Graphics

StageList graphicsStages(VkShaderStageFlagBits stage, const Words& words) {
    StageList stages;
    if (stage == kFragment) {
        stages.add(kVertex, triangleVertexShader());
    } else if ((stage & (kControl | kEvaluation | kGeometry)) != 0) {
        stages.add(kVertex, plainShader(kVertex, "", "gl_Position = vec4(0);"));
    }
    if (stage == kEvaluation) {
        stages.add(kControl, plainShader(kControl, "layout(vertices = 1) out;\n",
                                         "gl_TessLevelOuter = float[](1, 1, 1, 1);"
                                         "gl_TessLevelInner = float[](1, 1);"));
    }
    stages.add(stage, words);
    if (stage == kControl) {
        stages.add(kEvaluation, plainShader(kEvaluation, "layout(triangles, point_mode) in;\n",
                                            "gl_Position = vec4(0);"));
    }
    if (stage == kTask) {
        stages.add(kMesh, plainShader(kMesh,
                                      "layout(local_size_x = 1) in;\nlayout(points, max_vertices "
                                      "= 1, max_primitives = 1) out;\n",
                                      "SetMeshOutputsEXT(0, 0);"));
    }
    return stages;
}

std::vector<Bytes> runGraphics(VkShaderStageFlagBits stage, const Words& words,
                               const std::vector<Bytes>& buffers) {
    Run run(buffers, 0);
    const StageList stages = graphicsStages(stage, words);
    const bool isPatch = (stage & (kControl | kEvaluation)) != 0;
    GraphicsState state;
    state.viewport = {0, 0, kWidth, kHeight, 0, 1};
    state.scissor = {{0, 0}, {kWidth, kHeight}};
    state.rasterization.rasterizerDiscardEnable = stage != kFragment;
    if (stage != kFragment) state.assembly.topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
    if (isPatch) state.assembly.topology = VK_PRIMITIVE_TOPOLOGY_PATCH_LIST;
    VkPipelineTessellationStateCreateInfo patches{
        VK_STRUCTURE_TYPE_PIPELINE_TESSELLATION_STATE_CREATE_INFO};
    patches.patchControlPoints = 1;
    VkGraphicsPipelineCreateInfo info = state.info(run.layout(), stages.infos);
    if (isPatch) info.pTessellationState = &patches;
    Pipeline pipeline;
    COOPVK_CHECK(vkCreateGraphicsPipelines(Context::get().device, VK_NULL_HANDLE, 1, &info, nullptr,
                                           &pipeline.handle));
    return run.submit([&](VkCommandBuffer commands) {
        VkRenderingInfo rendering{VK_STRUCTURE_TYPE_RENDERING_INFO};
        rendering.renderArea = state.scissor;
        rendering.layerCount = 1;
        vkCmdBeginRendering(commands, &rendering);
        vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline.handle);
        if ((stage & (kTask | kMesh)) != 0) {
            vkCmdDrawMeshTasksEXT(commands, 1, 1, 1);
        } else {
            const uint32_t vertices = stage == kFragment ? 3
                                      : stage == kVertex ? kStageInvocations
                                                         : kStageInvocations / 3;
            vkCmdDraw(commands, vertices, 1, 0, 0);
        }
        vkCmdEndRendering(commands);
    });
}

}  // namespace

std::vector<Bytes> runStage(VkShaderStageFlagBits stage, const std::string& source,
                            const std::vector<Bytes>& buffers, uint32_t workgroup) {
    const Words words = workShader(stage, source, workgroup);
    Context::get().prepareFor(words, false);
    std::vector<Bytes> result = stage == kCompute ? runCompute(words, buffers)
                                : isRay(stage)    ? runRays(stage, words, buffers)
                                                  : runGraphics(stage, words, buffers);
    result.pop_back();  // the table
    return result;
}

std::string missing(VkShaderStageFlagBits stage) {
    const Context& context = Context::get();
    const VkPhysicalDeviceFeatures& core = context.features.core.features;
    const auto need = [](VkBool32 feature, const char* why) {
        return feature == VK_TRUE ? std::string() : std::string("the device has no ") + why;
    };
    if (stage == kCompute) return {};
    if (isRay(stage)) {
        // Mesa 26.1: shaders that trace rays crash, plain ones (PlainStages) without layers too.
        const bool traces = context.properties12.driverID != VK_DRIVER_ID_MESA_LLVMPIPE ||
                            context.subgroupSize == 8 || std::getenv("COOPVK_TEST_TRACE");
        if ((stage & kTracingStages) != 0 && !traces)
            return "lavapipe crashes where it traces rays with other than 8 lanes";
        return need(context.features.rayTracing.rayTracingPipeline, "rayTracingPipeline");
    }
    if (stage == kFragment) return need(core.fragmentStoresAndAtomics, "fragmentStoresAndAtomics");
    if (stage == kTask) return need(context.features.meshShader.taskShader, "taskShader");
    if (stage == kMesh) return need(context.features.meshShader.meshShader, "meshShader");
    if (stage == kGeometry && core.geometryShader != VK_TRUE)
        return "the device has no geometryShader";
    if ((stage & (kControl | kEvaluation)) != 0 && core.tessellationShader != VK_TRUE)
        return "the device has no tessellationShader";
    return need(core.vertexPipelineStoresAndAtomics, "vertexPipelineStoresAndAtomics");
}

}  // namespace coopvk::test
