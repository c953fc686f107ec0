// SPDX-License-Identifier: Apache-2.0
//
// The ways in which a shader reaches the driver: modules, inlined modules, caches, batches, shader
// objects and their binaries, subgroup size requests, robustness.
#include <gtest/gtest.h>

#include <algorithm>

#include "harness/compute.hpp"
#include "harness/glsl.hpp"
#include "harness/layer_log.hpp"
#include "harness/reference.hpp"
#include "harness/requirement.hpp"
#include "harness/samples.hpp"
#include "harness/value.hpp"

namespace coopvk::test::route_test {
namespace {

TEST(Routes, Module) { expectValue(scaledSum(0)); }

// The log says so, for the subgroup size that the device has.
TEST(Routes, EmulationReallyHappens) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    LayerLog::take();
    expectValue(plain());
    EXPECT_EQ(LayerLog::take().find("rewrote"), std::string::npos);
    expectValue(scaledSum(30));
    const std::string log = LayerLog::take();
    EXPECT_NE(log.find("rewrote compute shader "), log.npos) << log;
    EXPECT_NE(log.find(" for VK_KHR_cooperative_matrix subgroup " +
                       std::to_string(Context::get().subgroupSize) + " "),
              log.npos)
        << log;
}

TEST(Routes, SpecializedModule) {
    const Words words = scaledSum(0);
    for (uint32_t factor : {2u, 3u, 2u}) expectValue(words, {}, {.specialization = {{7, factor}}});
}

TEST(Routes, InlinedModule) {
    expectValue(scaledSum(1), {}, {.specialization = {{7, 2}}, .inlined = true});
}

TEST(Routes, Untouched) {
    expectValue(plain());
    expectValue(plain(), {}, {.inlined = true});
}

TEST(Routes, RequiredSubgroupSize) {
    const uint32_t lanes = Context::get().subgroupSize;
    expectValue(scaledSum(2), {}, {.requiredSubgroupSize = lanes});
    expectValue(scaledSum(2), {},
                {.requiredSubgroupSize = lanes,
                 .stageFlags = VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT});
    expectValue(scaledSum(2), {}, {.requiredSubgroupSize = lanes, .inlined = true});
}

TEST(Routes, StageFlags) {
    expectValue(scaledSum(2), {},
                {.stageFlags = VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT});
}

// Workgroups must be whole subgroups of the largest size
// (VUID-VkPipelineShaderStageCreateInfo-flags-02758).
TEST(Routes, VaryingSubgroupSize) {
    VkPhysicalDeviceVulkan13Properties sizes{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES};
    VkPhysicalDeviceProperties2 properties{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &sizes};
    vkGetPhysicalDeviceProperties2(Context::get().physical, &properties);
    if (sizes.maxSubgroupSize != Context::get().subgroupSize)
        GTEST_SKIP() << "the workgroup is smaller than the largest subgroup";
    expectValue(scaledSum(2), {},
                {.stageFlags = VK_PIPELINE_SHADER_STAGE_CREATE_ALLOW_VARYING_SUBGROUP_SIZE_BIT |
                               VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT});
}

TEST(Routes, DebugInformation) {
    const GlslValue value{"Debug", "T twice(T x) { return x + x; }",
                          "T named = A;\nR = twice(named);"};
    expectValue(compileGlslWithDebugInfo(glslValueSource(value, {})));
}

TEST(Routes, OlderSpirv) {
    const GlslValue value{"Older", "T g[2];\nT twice(T x) { return x + x; }",
                          "g[push.n[1]] = A;\nR = twice(g[1]) * E(2);"};
    expectValue(compileGlslToSpirv13(glslValueSource(value, {})));
}

struct Cache {
    explicit Cache(std::vector<std::byte> data = {}) {
        VkPipelineCacheCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
        info.initialDataSize = data.size();
        info.pInitialData = data.data();
        COOPVK_CHECK(vkCreatePipelineCache(Context::get().device, &info, nullptr, &handle));
    }
    ~Cache() { vkDestroyPipelineCache(Context::get().device, handle, nullptr); }
    Cache(const Cache&) = delete;
    Cache& operator=(const Cache&) = delete;
    std::vector<std::byte> data() const {
        size_t size = 0;
        COOPVK_CHECK(vkGetPipelineCacheData(Context::get().device, handle, &size, nullptr));
        std::vector<std::byte> result(size);
        COOPVK_CHECK(vkGetPipelineCacheData(Context::get().device, handle, &size, result.data()));
        return result;
    }
    VkPipelineCache handle = VK_NULL_HANDLE;
};

TEST(Routes, PipelineCache) {
    const Cache cache;
    const Words one = scaledSum(3), other = scaledSum(4);
    for (int turn = 0; turn < 2; ++turn) {
        expectValue(one, {}, {.cache = cache.handle});
        expectValue(other, {}, {.cache = cache.handle});
        expectValue(one, {}, {.specialization = {{7, 5}}, .cache = cache.handle});
    }
    const Cache again(cache.data());
    expectValue(one, {}, {.specialization = {{7, 5}}, .cache = again.handle});
    expectValue(one, {}, {.cache = again.handle});
}

// An application may ask for what is in the cache only, and must get an answer that it knows.
TEST(Routes, OnlyFromCache) {
    Context& context = Context::get();
    const Layout layout(context);
    const Cache cache;
    VkPipeline pipeline = VK_NULL_HANDLE;
    const PipelineOptions options{.flags = VK_PIPELINE_CREATE_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT,
                                  .cache = cache.handle};
    const VkResult result =
        createPipeline(context, layout.pipeline, scaledSum(40), options, &pipeline);
    EXPECT_TRUE(result == VK_SUCCESS || result == VK_PIPELINE_COMPILE_REQUIRED) << result;
    EXPECT_EQ(result == VK_SUCCESS, pipeline != VK_NULL_HANDLE);
    vkDestroyPipeline(context.device, pipeline, nullptr);
}

TEST(Routes, ModuleIdentifier) {
    COOPVK_REQUIRE(Requirement::kModuleIdentifier);
    Context& context = Context::get();
    const Words one = scaledSum(41), other = scaledSum(42);
    std::vector<std::vector<uint8_t>> identifiers;
    for (const Words* words : {&one, &other, &one}) {
        VkShaderModuleCreateInfo info{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
        info.codeSize = words->size() * 4;
        info.pCode = words->data();
        VkShaderModule module = VK_NULL_HANDLE;
        COOPVK_CHECK(vkCreateShaderModule(context.device, &info, nullptr, &module));
        VkShaderModuleIdentifierEXT a{VK_STRUCTURE_TYPE_SHADER_MODULE_IDENTIFIER_EXT}, b = a;
        vkGetShaderModuleIdentifierEXT(context.device, module, &a);
        vkGetShaderModuleCreateInfoIdentifierEXT(context.device, &info, &b);
        vkDestroyShaderModule(context.device, module, nullptr);
        EXPECT_TRUE(std::equal(a.identifier, a.identifier + a.identifierSize, b.identifier));
        identifiers.emplace_back(a.identifier, a.identifier + a.identifierSize);
    }
    EXPECT_EQ(identifiers[0], identifiers[2]);
    EXPECT_NE(identifiers[0], identifiers[1]);
}

TEST(Routes, CreationFeedback) {
    VkPipelineCreationFeedback whole{}, stage{};
    VkPipelineCreationFeedbackCreateInfo info{
        VK_STRUCTURE_TYPE_PIPELINE_CREATION_FEEDBACK_CREATE_INFO};
    info.pPipelineCreationFeedback = &whole;
    info.pipelineStageCreationFeedbackCount = 1;
    info.pPipelineStageCreationFeedbacks = &stage;
    expectValue(scaledSum(5), {}, {.next = &info});
    EXPECT_TRUE(whole.flags & VK_PIPELINE_CREATION_FEEDBACK_VALID_BIT);
}

// Matrices that extend beyond a buffer: memory outside does not change.
TEST(Routes, Robustness) {
    COOPVK_REQUIRE(Requirement::kRobustness);
    VkPipelineRobustnessCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_ROBUSTNESS_CREATE_INFO};
    info.storageBuffers = VK_PIPELINE_ROBUSTNESS_BUFFER_BEHAVIOR_ROBUST_BUFFER_ACCESS_2;
    info.uniformBuffers = VK_PIPELINE_ROBUSTNESS_BUFFER_BEHAVIOR_DEVICE_DEFAULT;
    info.vertexInputs = VK_PIPELINE_ROBUSTNESS_BUFFER_BEHAVIOR_DEVICE_DEFAULT;
    info.images = VK_PIPELINE_ROBUSTNESS_IMAGE_BEHAVIOR_DEVICE_DEFAULT;
    for (const char* element : {"float", "vec4"}) {
        const std::string stride = element == std::string("float") ? "8" : "2";
        const std::string source =
            glsl::header() + glsl::buffer(0, "a", element) + glsl::buffer(1, "d", element) +
            glsl::buffer(2, "e", element) + "void main() {\n" +
            glsl::matrix(Component::kF32, 8, 8, Use::kAccumulator) + " m;\n" +
            glsl::load("m", "a", stride) + glsl::store("m", "d", stride) +
            glsl::store("m", "e", stride) + "}\n";
        Rng rng("Robustness");
        const Matrix a = randomMatrix(rng, Component::kF32, 5, 8, Fill::kUnit);
        Dispatch dispatch;
        dispatch.buffers = {pack(a), rng.bytes(3 * 32), rng.bytes(8 * 32)};
        const std::vector<Bytes> after = run(compileGlsl(source), dispatch, {.next = &info});
        Bytes whole = pack(a);
        whole.resize(8 * 32);
        EXPECT_EQ(difference(after[1], std::span(whole).first(3 * 32)), "") << element;
        EXPECT_EQ(difference(after[2], whole), "") << element;
    }
    // The accesses are outside of the buffers on purpose.
    for (const std::string& message : Context::get().takeMessages())
        EXPECT_TRUE(message.starts_with("coopvk-reference-bounds")) << message;
}

// Runs a bound shader object of these words.
void expectShaderObject(const Layout& layout, const ShaderObject& shader, const Words& words,
                        uint32_t constant) {
    Rng rng("ShaderObject");
    Dispatch dispatch;
    const Matrix a = randomMatrix(rng, Component::kF32, 8, 8, Fill::kSmall);
    const Matrix b = randomMatrix(rng, Component::kF32, 8, 8, Fill::kSmall);
    dispatch.buffers = {pack(a), pack(b), pack(b), rng.bytes(256)};
    const std::vector<Bytes> after =
        submit(Context::get(), layout, dispatch, [&](VkCommandBuffer commands) {
            const VkShaderStageFlagBits stage = VK_SHADER_STAGE_COMPUTE_BIT;
            vkCmdBindShadersEXT(commands, 1, &stage, &shader.handle);
        });
    const auto want = expectedOf(words, dispatch, {.specialization = {{7, constant}}});
    EXPECT_EQ(
        difference(unpack(Component::kF32, 8, 8, after[3]), unpack(Component::kF32, 8, 8, want[3])),
        "");
}

TEST(Routes, ShaderObject) {
    COOPVK_REQUIRE(Requirement::kShaderObject);
    const Layout layout(Context::get());
    const Words words = scaledSum(6);
    for (uint32_t factor : {1u, 4u}) {
        const Specialization special(Context::get(), {{7, factor}});
        ShaderObject shader;
        COOPVK_CHECK(createShaderObject(layout, VK_SHADER_CODE_TYPE_SPIRV_EXT, words.data(),
                                        words.size() * 4, special, shader));
        expectShaderObject(layout, shader, words, factor);
    }
}

TEST(Routes, ShaderObjectBinary) {
    COOPVK_REQUIRE(Requirement::kShaderObject);
    const Layout layout(Context::get());
    const Words words = scaledSum(7);
    const Specialization special(Context::get(), {{7, 2}});
    ShaderObject shader, copy;
    COOPVK_CHECK(createShaderObject(layout, VK_SHADER_CODE_TYPE_SPIRV_EXT, words.data(),
                                    words.size() * 4, special, shader));
    size_t size = 0;
    COOPVK_CHECK(vkGetShaderBinaryDataEXT(Context::get().device, shader.handle, &size, nullptr));
    // Binary data needs an alignment of 16 bytes.
    std::vector<std::array<uint64_t, 2>> data(size / 16 + 1);
    size_t small = size - 1;
    EXPECT_EQ(vkGetShaderBinaryDataEXT(Context::get().device, shader.handle, &small, data.data()),
              VK_INCOMPLETE);
    EXPECT_EQ(small, 0u);
    COOPVK_CHECK(
        vkGetShaderBinaryDataEXT(Context::get().device, shader.handle, &size, data.data()));
    COOPVK_CHECK(createShaderObject(layout, VK_SHADER_CODE_TYPE_BINARY_EXT, data.data(), size,
                                    special, copy));
    expectShaderObject(layout, shader, words, 2);
    expectShaderObject(layout, copy, words, 2);
}

TEST(Routes, Batch) {
    Batch batch({scaledSum(0), plain(), scaledSum(8)});
    COOPVK_CHECK(batch.create());
    batch.expect(0);
    batch.expect(1);
    batch.expect(2);
}

}  // namespace
}  // namespace coopvk::test::route_test
