// SPDX-License-Identifier: Apache-2.0
//
// Graphics pipelines, their libraries and graphics shader objects, on a device that emulates
// matrices: the driver gets shaders that use no matrices unchanged.
#include <gtest/gtest.h>

#include <array>

#include "harness/drawing.hpp"
#include "harness/layer_log.hpp"
#include "harness/requirement.hpp"
#include "harness/samples.hpp"

namespace coopvk::test::graphics_route_test {
namespace {

constexpr auto kVertex = VK_SHADER_STAGE_VERTEX_BIT;
constexpr auto kFragment = VK_SHADER_STAGE_FRAGMENT_BIT;

VkResult create(std::span<const VkGraphicsPipelineCreateInfo> infos, VkPipeline* pipelines,
                VkPipelineCache cache = VK_NULL_HANDLE) {
    return vkCreateGraphicsPipelines(Context::get().device, cache,
                                     static_cast<uint32_t>(infos.size()), infos.data(), nullptr,
                                     pipelines);
}

class GraphicsRoutes : public testing::Test {
 protected:
    void SetUp() override {
        COOPVK_REQUIRE(Requirement::kGraphics);
        LayerLog::take();
    }
    void TearDown() override {
        const std::string log = LayerLog::take();
        EXPECT_EQ(log.find("rewrote"), log.npos) << log;
    }
};

TEST_F(GraphicsRoutes, Modules) {
    const StageLayout layout;
    const Module vertex(triangleVertexShader()), fragment(pictureFragmentShader(3));
    const std::array stages{stageInfo(kVertex, vertex.handle),
                            stageInfo(kFragment, fragment.handle)};
    GraphicsState state;
    Pipeline pipeline;
    COOPVK_CHECK(create(std::array{state.info(layout, stages)}, &pipeline.handle));
    expectScaledRamp(drawPicture(layout, pipeline.handle), 2, 3);
}

TEST_F(GraphicsRoutes, SpecializedModules) {
    const StageLayout layout;
    const Module vertex(triangleVertexShader()), fragment(pictureFragmentShader(1));
    std::array stages{stageInfo(kVertex, vertex.handle), stageInfo(kFragment, fragment.handle)};
    const Specialization special(Context::get(), {{1, 5}});
    stages[1].pSpecializationInfo = &special.info;
    GraphicsState state;
    Pipeline pipeline;
    COOPVK_CHECK(create(std::array{state.info(layout, stages)}, &pipeline.handle));
    expectScaledRamp(drawPicture(layout, pipeline.handle), 5, 1);
}

TEST_F(GraphicsRoutes, InlinedModules) {
    const StageLayout layout;
    const Words vertex = triangleVertexShader(), fragment = pictureFragmentShader(4);
    std::array<VkShaderModuleCreateInfo, 2> code{};
    std::array stages{stageInfo(kVertex, VK_NULL_HANDLE), stageInfo(kFragment, VK_NULL_HANDLE)};
    for (size_t i = 0; i < 2; ++i) {
        const Words& words = i == 0 ? vertex : fragment;
        code[i].sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
        code[i].codeSize = words.size() * sizeof(uint32_t);
        code[i].pCode = words.data();
        stages[i].pNext = &code[i];
    }
    GraphicsState state;
    Pipeline pipeline;
    COOPVK_CHECK(create(std::array{state.info(layout, stages)}, &pipeline.handle));
    expectScaledRamp(drawPicture(layout, pipeline.handle), 2, 4);
}

TEST_F(GraphicsRoutes, SeveralAtOnce) {
    const StageLayout layout;
    const Module vertex(triangleVertexShader());
    const Module one(pictureFragmentShader(6)), other(pictureFragmentShader(7));
    const std::array first{stageInfo(kVertex, vertex.handle), stageInfo(kFragment, one.handle)};
    const std::array second{stageInfo(kVertex, vertex.handle), stageInfo(kFragment, other.handle)};
    GraphicsState state;
    std::array infos{state.info(layout, first), state.info(layout, second)};
    infos[0].flags = VK_PIPELINE_CREATE_ALLOW_DERIVATIVES_BIT;
    infos[1].flags = VK_PIPELINE_CREATE_DERIVATIVE_BIT;
    infos[1].basePipelineIndex = 0;
    std::array<VkPipeline, 2> pipelines{};
    COOPVK_CHECK(create(infos, pipelines.data()));
    Pipeline a, b;
    a.handle = pipelines[0];
    b.handle = pipelines[1];
    expectScaledRamp(drawPicture(layout, a.handle), 2, 6);
    expectScaledRamp(drawPicture(layout, b.handle), 2, 7);
}

// One library for each of the four parts, linked to a pipeline. In parts without shaders, pStages
// may be invalid.
TEST_F(GraphicsRoutes, PipelineLibraries) {
    COOPVK_REQUIRE(Requirement::kPipelineLibrary);
    const StageLayout layout;
    const Module vertex(triangleVertexShader()), fragment(pictureFragmentShader(8));
    const std::array stages{stageInfo(kVertex, vertex.handle),
                            stageInfo(kFragment, fragment.handle)};
    GraphicsState state;
    constexpr VkGraphicsPipelineLibraryFlagBitsEXT kParts[] = {
        VK_GRAPHICS_PIPELINE_LIBRARY_VERTEX_INPUT_INTERFACE_BIT_EXT,
        VK_GRAPHICS_PIPELINE_LIBRARY_PRE_RASTERIZATION_SHADERS_BIT_EXT,
        VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_SHADER_BIT_EXT,
        VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_OUTPUT_INTERFACE_BIT_EXT};
    std::array<Pipeline, 4> parts;
    std::array<VkPipeline, 4> handles{};
    for (size_t i = 0; i < 4; ++i) {
        VkGraphicsPipelineLibraryCreateInfoEXT library{
            VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_LIBRARY_CREATE_INFO_EXT};
        library.pNext = &state.rendering;
        library.flags = kParts[i];
        const bool hasShader = i == 1 || i == 2;
        VkGraphicsPipelineCreateInfo info =
            state.info(layout, std::span(stages).subspan(hasShader ? i - 1 : 0, hasShader ? 1 : 0));
        if (!hasShader) info.pStages = nullptr;
        info.pNext = &library;
        info.flags = VK_PIPELINE_CREATE_LIBRARY_BIT_KHR;
        COOPVK_CHECK(create(std::array{info}, &parts[i].handle));
        handles[i] = parts[i].handle;
    }
    VkPipelineLibraryCreateInfoKHR libraries{VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR};
    libraries.libraryCount = 4;
    libraries.pLibraries = handles.data();
    VkGraphicsPipelineCreateInfo info{VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO, &libraries};
    info.layout = layout.handle;
    Pipeline pipeline;
    COOPVK_CHECK(create(std::array{info}, &pipeline.handle));
    expectScaledRamp(drawPicture(layout, pipeline.handle), 2, 8);
}

class GraphicsShaders {
 public:
    GraphicsShaders(const Words& vertex, const Words& fragment, VkShaderCreateFlagsEXT flags) {
        std::array<VkShaderCreateInfoEXT, 2> infos{info(kVertex, flags), info(kFragment, flags)};
        infos[0].nextStage = kFragment;
        const Words* code[] = {&vertex, &fragment};
        for (size_t i = 0; i < 2; ++i) {
            infos[i].codeType = VK_SHADER_CODE_TYPE_SPIRV_EXT;
            infos[i].codeSize = code[i]->size() * sizeof(uint32_t);
            infos[i].pCode = code[i]->data();
        }
        create(infos);
    }
    // From the other's binaries.
    explicit GraphicsShaders(const GraphicsShaders& other) {
        std::array<VkShaderCreateInfoEXT, 2> infos{info(kVertex, 0), info(kFragment, 0)};
        infos[0].nextStage = kFragment;
        std::array<std::vector<std::array<uint64_t, 2>>, 2> binaries;  // 16 bytes: the alignment
        for (size_t i = 0; i < 2; ++i) {
            size_t size = 0;
            const VkDevice device = Context::get().device;
            COOPVK_CHECK(vkGetShaderBinaryDataEXT(device, other.handles_[i], &size, nullptr));
            binaries[i].resize(size / 16 + 1);
            COOPVK_CHECK(
                vkGetShaderBinaryDataEXT(device, other.handles_[i], &size, binaries[i].data()));
            infos[i].codeType = VK_SHADER_CODE_TYPE_BINARY_EXT;
            infos[i].codeSize = size;
            infos[i].pCode = binaries[i].data();
        }
        create(infos);
    }
    ~GraphicsShaders() {
        for (VkShaderEXT shader : handles_)
            vkDestroyShaderEXT(Context::get().device, shader, nullptr);
    }
    GraphicsShaders& operator=(const GraphicsShaders&) = delete;

    Bytes draw(const StageLayout& layout) const {
        return drawPicture(layout, [this](VkCommandBuffer commands) {
            setDrawState(commands);
            constexpr std::array<VkShaderStageFlagBits, 2> kStages{kVertex, kFragment};
            vkCmdBindShadersEXT(commands, 2, kStages.data(), handles_.data());
            // Stages that the device has, too, must be bound to nothing.
            for (VkShaderStageFlagBits stage :
                 {VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT,
                  VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT, VK_SHADER_STAGE_GEOMETRY_BIT})
                vkCmdBindShadersEXT(commands, 1, &stage, nullptr);
            const VkPhysicalDeviceMeshShaderFeaturesEXT& has = Context::get().features.meshShader;
            constexpr VkShaderStageFlagBits kTask = VK_SHADER_STAGE_TASK_BIT_EXT;
            constexpr VkShaderStageFlagBits kMesh = VK_SHADER_STAGE_MESH_BIT_EXT;
            if (has.taskShader) vkCmdBindShadersEXT(commands, 1, &kTask, nullptr);
            if (has.meshShader) vkCmdBindShadersEXT(commands, 1, &kMesh, nullptr);
        });
    }

 private:
    VkShaderCreateInfoEXT info(VkShaderStageFlagBits stage, VkShaderCreateFlagsEXT flags) const {
        VkShaderCreateInfoEXT result{VK_STRUCTURE_TYPE_SHADER_CREATE_INFO_EXT};
        result.flags = flags;
        result.stage = stage;
        result.pName = "main";
        result.pushConstantRangeCount = 1;
        result.pPushConstantRanges = &range_;
        return result;
    }
    void create(const std::array<VkShaderCreateInfoEXT, 2>& infos) {
        COOPVK_CHECK(
            vkCreateShadersEXT(Context::get().device, 2, infos.data(), nullptr, handles_.data()));
    }

    VkPushConstantRange range_ = StageLayout().range;
    std::array<VkShaderEXT, 2> handles_{};
};

TEST_F(GraphicsRoutes, ShaderObjects) {
    COOPVK_REQUIRE(Requirement::kShaderObject);
    const StageLayout layout;
    const GraphicsShaders shaders(triangleVertexShader(), pictureFragmentShader(9), 0);
    expectScaledRamp(shaders.draw(layout), 2, 9);
}

TEST_F(GraphicsRoutes, LinkedShaderObjects) {
    COOPVK_REQUIRE(Requirement::kShaderObject);
    const StageLayout layout;
    const GraphicsShaders shaders(triangleVertexShader(), pictureFragmentShader(10),
                                  VK_SHADER_CREATE_LINK_STAGE_BIT_EXT);
    expectScaledRamp(shaders.draw(layout), 2, 10);
}

TEST_F(GraphicsRoutes, ShaderObjectBinaries) {
    COOPVK_REQUIRE(Requirement::kShaderObject);
    const StageLayout layout;
    const GraphicsShaders shaders(triangleVertexShader(), pictureFragmentShader(11), 0);
    const GraphicsShaders copies(shaders);
    expectScaledRamp(copies.draw(layout), 2, 11);
}

}  // namespace
}  // namespace coopvk::test::graphics_route_test
