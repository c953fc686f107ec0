// SPDX-License-Identifier: Apache-2.0
//
// Matrix conversions among other commands: bound state stays bound, and conditions stay active.
#include <gtest/gtest.h>

#include <algorithm>

#include "harness/glsl.hpp"
#include "harness/random.hpp"
#include "harness/requirement.hpp"
#include "harness/round_trip.hpp"
#include "harness/samples.hpp"

namespace coopvk::test::convert_state_test {
namespace {

// Something to dispatch: a shader that writes all its push constants to binding 0.
struct PushShader {
    PushShader() : layout(Context::get()), bindings(Context::get(), layout) {
        words = compileGlsl(glsl::header() + glsl::buffer(0, "d", "uint") +
                            "layout(push_constant) uniform Push { uint n[32]; } push;\n"
                            "void main() { if (gl_LocalInvocationIndex == 0)\n"
                            "    for (uint i = 0; i < 32; ++i) d[i] = push.n[i]; }\n");
        Context& context = Context::get();
        COOPVK_CHECK(createPipeline(context, layout.pipeline, words, {}, &pipeline));
    }
    ~PushShader() { vkDestroyPipeline(Context::get().device, pipeline, nullptr); }
    PushShader(const PushShader&) = delete;
    PushShader& operator=(const PushShader&) = delete;

    void describe(const Memory& memory, size_t index) const {
        for (uint32_t i = 0; i < kMaxBuffers; ++i)
            bindings.bindBuffer(i, memory.descriptor(index, 128));
    }
    void bindSet(VkCommandBuffer commands) const {
        vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout.pipeline, 0, 1,
                                &bindings.set, 0, nullptr);
    }
    void push(VkCommandBuffer commands, uint32_t offset, const Bytes& bytes) const {
        vkCmdPushConstants(commands, layout.pipeline, VK_SHADER_STAGE_COMPUTE_BIT, offset,
                           static_cast<uint32_t>(bytes.size()), bytes.data());
    }

    Layout layout;
    Bindings bindings;
    Words words;
    VkPipeline pipeline = VK_NULL_HANDLE;
};

// A condition that is false stops commands after a conversion, but not the conversion.
TEST(ConvertCommands, ConditionalRendering) {
    COOPVK_REQUIRE(Requirement::kConditionalRendering);
    const PushShader shader;
    std::vector<Bytes> before = roundTripBuffers();
    before.push_back(toBytes({0u}));  // the condition
    before.push_back(Rng("kept").bytes(128));
    const std::vector<Bytes> after =
        runCommands(before, [&](Commands& commands, const Memory& memory) {
            const VkConditionalRenderingBeginInfoEXT info{
                VK_STRUCTURE_TYPE_CONDITIONAL_RENDERING_BEGIN_INFO_EXT, nullptr, memory.handle(),
                memory.offset(3), 0};
            shader.describe(memory, 4);
            const VkCommandBuffer to = commands.primary;
            vkCmdBindPipeline(to, VK_PIPELINE_BIND_POINT_COMPUTE, shader.pipeline);
            shader.bindSet(to);
            shader.push(to, 0, Rng("pushed").bytes(128));
            vkCmdBeginConditionalRenderingEXT(to, &info);
            recordThere(to, memory);
            vkCmdDispatch(to, 1, 1, 1);
            vkCmdEndConditionalRenderingEXT(to);
        });
    EXPECT_EQ(difference(after[1], convertOnHost(kThere, before[0], before[1])), "");
    EXPECT_EQ(difference(after[4], before[4]), "");
}

using Binding = std::function<void(const PushShader&, VkCommandBuffer)>;

// Binds, pushes in pieces with a conversion between them, converts and dispatches.
void expectState(const Binding& bind, bool second) {
    const PushShader shader;
    std::vector<Bytes> before = roundTripBuffers();
    before.push_back(Rng("pushed before").bytes(128));
    const Bytes pushed = Rng("pushed").bytes(128), update = Rng("update").bytes(24);
    const std::vector<Bytes> after =
        runCommands(before, [&](Commands& commands, const Memory& memory) {
            shader.describe(memory, 3);
            const VkCommandBuffer to = commands.primary;
            bind(shader, to);
            shader.bindSet(to);
            if (second) {
                const VkPushConstantsInfo info{VK_STRUCTURE_TYPE_PUSH_CONSTANTS_INFO,
                                               nullptr,
                                               shader.layout.pipeline,
                                               VK_SHADER_STAGE_COMPUTE_BIT,
                                               0,
                                               128,
                                               pushed.data()};
                vkCmdPushConstants2(to, &info);
            } else {
                shader.push(to, 0, pushed);
            }
            recordThere(to, memory);
            conversionBarrier(to);
            shader.push(to, 16, update);
            recordBack(to, memory);
            vkCmdDispatch(to, 1, 1, 1);
        });
    Bytes want = pushed;
    std::copy(update.begin(), update.end(), want.begin() + 16);
    EXPECT_EQ(difference(after[3], want), "");
    EXPECT_EQ(difference(after[2], before[0]), "");
}

TEST(ConvertCommands, BoundPipeline) {
    const auto bind = [](const PushShader& shader, VkCommandBuffer commands) {
        vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, shader.pipeline);
    };
    expectState(bind, false);
    expectState(bind, true);
}

TEST(ConvertCommands, BoundShaderObject) {
    COOPVK_REQUIRE(Requirement::kShaderObject);
    ShaderObject object;
    expectState(
        [&](const PushShader& shader, VkCommandBuffer commands) {
            const Specialization special(Context::get(), {});
            COOPVK_CHECK(createShaderObject(shader.layout, VK_SHADER_CODE_TYPE_SPIRV_EXT,
                                            shader.words.data(), shader.words.size() * 4, special,
                                            object));
            // A pipeline first, which the shader object replaces.
            vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, shader.pipeline);
            const VkShaderStageFlagBits stage = VK_SHADER_STAGE_COMPUTE_BIT;
            vkCmdBindShadersEXT(commands, 1, &stage, &object.handle);
        },
        false);
}

}  // namespace
}  // namespace coopvk::test::convert_state_test
