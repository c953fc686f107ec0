// SPDX-License-Identifier: Apache-2.0
//
// The ways in which a shader reaches the driver: modules, inlined modules, caches, batches, shader
// objects and their binaries, subgroup size requests, robustness, bad code, many threads.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <thread>

#include "harness/assembly.hpp"
#include "harness/compute.hpp"
#include "harness/glsl.hpp"
#include "harness/layer_log.hpp"
#include "harness/requirement.hpp"
#include "harness/value.hpp"

namespace coopvk::test {
namespace {

// d = a + factor × b, with the factor a specialization constant and a literal besides, so that
// shaders can be told apart.
Words scaledSum(uint32_t literal) {
    const GlslValue value{"ScaledSum",
                          "layout(constant_id = 7) const uint FACTOR = 1;",
                          "R = A + B * E(FACTOR + " + std::to_string(literal) + ");",
                          {}};
    return compileGlsl(glslValueSource(value, {}));
}

ElementFunction scaledSumOf(double factor) {
    return [factor](double a, double b, double) { return a + factor * b; };
}

// A shader without any matrix.
Words plain() {
    return compileGlsl(glsl::header() + glsl::buffer(0, "a", "float") +
                       glsl::buffer(3, "d", "float") +
                       "void main() { for (uint i = gl_LocalInvocationIndex; i < 64; i += "
                       "gl_WorkGroupSize.x) d[i] = a[i] + 1; }\n");
}

double plusOne(double a, double, double) { return a + 1; }

TEST(Routes, Module) { expectValue(scaledSum(0), {}, scaledSumOf(1)); }

// The log says so, for the subgroup size that the device has.
TEST(Routes, EmulationReallyHappens) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    LayerLog::take();
    expectValue(plain(), {}, plusOne);
    EXPECT_EQ(LayerLog::take().find("rewrote"), std::string::npos);
    expectValue(scaledSum(30), {}, scaledSumOf(31));
    const std::string log = LayerLog::take();
    EXPECT_NE(log.find("rewrote compute shader "), log.npos) << log;
    EXPECT_NE(log.find(" for VK_KHR_cooperative_matrix subgroup " +
                       std::to_string(Context::get().subgroupSize) + " "),
              log.npos)
        << log;
}

TEST(Routes, SpecializedModule) {
    const Words words = scaledSum(0);
    for (uint32_t factor : {2u, 3u, 2u})
        expectValue(words, {}, scaledSumOf(factor), {.specialization = {{7, factor}}});
}

TEST(Routes, InlinedModule) {
    expectValue(scaledSum(1), {}, scaledSumOf(3), {.specialization = {{7, 2}}, .inlined = true});
}

TEST(Routes, Untouched) {
    expectValue(plain(), {}, plusOne);
    expectValue(plain(), {}, plusOne, {.inlined = true});
}

TEST(Routes, RequiredSubgroupSize) {
    const uint32_t lanes = Context::get().subgroupSize;
    expectValue(scaledSum(2), {}, scaledSumOf(3), {.requiredSubgroupSize = lanes});
    expectValue(scaledSum(2), {}, scaledSumOf(3),
                {.requiredSubgroupSize = lanes,
                 .stageFlags = VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT});
    expectValue(scaledSum(2), {}, scaledSumOf(3), {.requiredSubgroupSize = lanes, .inlined = true});
}

TEST(Routes, StageFlags) {
    expectValue(scaledSum(2), {}, scaledSumOf(3),
                {.stageFlags = VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT});
    expectValue(scaledSum(2), {}, scaledSumOf(3),
                {.stageFlags = VK_PIPELINE_SHADER_STAGE_CREATE_ALLOW_VARYING_SUBGROUP_SIZE_BIT |
                               VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT});
}

TEST(Routes, DebugInformation) {
    const GlslValue value{
        "Debug", "T twice(T x) { return x + x; }", "T named = A;\nR = twice(named);", {}};
    expectValue(compileGlslWithDebugInfo(glslValueSource(value, {})), {},
                [](double a, double, double) { return 2 * a; });
}

TEST(Routes, OlderSpirv) {
    const GlslValue value{"Older",
                          "T g[2];\nT twice(T x) { return x + x; }",
                          "g[push.n[1]] = A;\nR = twice(g[1]) * E(2);",
                          {}};
    expectValue(compileGlslToSpirv13(glslValueSource(value, {})), {},
                [](double a, double, double) { return 4 * a; });
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
        expectValue(one, {}, scaledSumOf(4), {.cache = cache.handle});
        expectValue(other, {}, scaledSumOf(5), {.cache = cache.handle});
        expectValue(one, {}, scaledSumOf(8), {.specialization = {{7, 5}}, .cache = cache.handle});
    }
    const Cache again(cache.data());
    expectValue(one, {}, scaledSumOf(8), {.specialization = {{7, 5}}, .cache = again.handle});
    expectValue(one, {}, scaledSumOf(4), {.cache = again.handle});
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
    expectValue(scaledSum(5), {}, scaledSumOf(6), {.next = &info});
    EXPECT_TRUE(whole.flags & VK_PIPELINE_CREATION_FEEDBACK_VALID_BIT);
}

// Matrices that reach beyond a buffer: what is outside stays as it is.
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
}

struct ShaderObject {
    ~ShaderObject() { vkDestroyShaderEXT(Context::get().device, handle, nullptr); }
    VkShaderEXT handle = VK_NULL_HANDLE;
};

VkResult createShaderObject(const Layout& layout, VkShaderCodeTypeEXT type, const void* code,
                            size_t size, const Specialization& special, ShaderObject& shader) {
    const VkPushConstantRange range{VK_SHADER_STAGE_COMPUTE_BIT, 0, kPushBytes};
    VkShaderCreateInfoEXT info{VK_STRUCTURE_TYPE_SHADER_CREATE_INFO_EXT};
    info.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    info.codeType = type;
    info.codeSize = size;
    info.pCode = code;
    info.pName = "main";
    info.setLayoutCount = 1;
    info.pSetLayouts = &layout.set;
    info.pushConstantRangeCount = 1;
    info.pPushConstantRanges = &range;
    info.pSpecializationInfo = &special.info;
    return vkCreateShadersEXT(Context::get().device, 1, &info, nullptr, &shader.handle);
}

// Runs a + factor × b by a bound shader object.
void expectShaderObject(const Layout& layout, const ShaderObject& shader, double factor) {
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
    Matrix want(Component::kF32, 8, 8);
    for (size_t i = 0; i < 64; ++i)
        want.elements[i] =
            fromDouble(Component::kF32, toDouble(Component::kF32, a.elements[i]) +
                                            factor * toDouble(Component::kF32, b.elements[i]));
    EXPECT_EQ(
        difference(unpack(Component::kF32, 8, 8, after[3]), Product{want, std::vector<double>(64)}),
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
        expectShaderObject(layout, shader, factor + 6);
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
    // Binary data wants the alignment of 16 bytes.
    std::vector<std::array<uint64_t, 2>> data(size / 16 + 1);
    COOPVK_CHECK(
        vkGetShaderBinaryDataEXT(Context::get().device, shader.handle, &size, data.data()));
    COOPVK_CHECK(createShaderObject(layout, VK_SHADER_CODE_TYPE_BINARY_EXT, data.data(), size,
                                    special, copy));
    expectShaderObject(layout, shader, 9);
    expectShaderObject(layout, copy, 9);
}

// vkCreateComputePipelines with emulated and plain shaders side by side.
struct Batch {
    explicit Batch(const std::vector<Words>& sources) : layout(Context::get()) {
        const Context& context = Context::get();
        special = std::make_unique<Specialization>(context, std::vector<SpecConstant>{});
        for (const Words& words : sources) {
            VkShaderModuleCreateInfo info{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
            info.codeSize = words.size() * 4;
            info.pCode = words.data();
            modules.push_back(VK_NULL_HANDLE);
            COOPVK_CHECK(vkCreateShaderModule(context.device, &info, nullptr, &modules.back()));
        }
        pipelines.resize(sources.size(), VK_NULL_HANDLE);
    }
    ~Batch() {
        for (VkShaderModule module : modules)
            vkDestroyShaderModule(Context::get().device, module, nullptr);
        for (VkPipeline pipeline : pipelines)
            vkDestroyPipeline(Context::get().device, pipeline, nullptr);
    }
    Batch(const Batch&) = delete;
    Batch& operator=(const Batch&) = delete;

    VkResult create(VkPipelineCreateFlags flags = 0) {
        std::vector<VkComputePipelineCreateInfo> infos;
        for (VkShaderModule module : modules) {
            VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
            info.flags = flags;
            info.layout = layout.pipeline;
            info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
            info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
            info.stage.module = module;
            info.stage.pName = "main";
            info.stage.pSpecializationInfo = &special->info;
            infos.push_back(info);
        }
        return vkCreateComputePipelines(Context::get().device, VK_NULL_HANDLE,
                                        static_cast<uint32_t>(infos.size()), infos.data(), nullptr,
                                        pipelines.data());
    }

    // What pipeline `index` makes of element i of a and b.
    void expect(size_t index, const ElementFunction& expected) {
        Rng rng("Batch");
        const Matrix a = randomMatrix(rng, Component::kF32, 8, 8, Fill::kSmall);
        const Matrix b = randomMatrix(rng, Component::kF32, 8, 8, Fill::kSmall);
        Dispatch dispatch;
        dispatch.buffers = {pack(a), pack(b), pack(b), rng.bytes(256)};
        const std::vector<Bytes> after =
            submit(Context::get(), layout, dispatch, [&](VkCommandBuffer commands) {
                vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipelines[index]);
            });
        const Matrix got = unpack(Component::kF32, 8, 8, after[3]);
        for (size_t i = 0; i < 64; ++i)
            EXPECT_EQ(toDouble(Component::kF32, got.elements[i]),
                      expected(toDouble(Component::kF32, a.elements[i]),
                               toDouble(Component::kF32, b.elements[i]), 0))
                << index << ", " << i;
    }

    Layout layout;
    std::unique_ptr<Specialization> special;
    std::vector<VkShaderModule> modules;
    std::vector<VkPipeline> pipelines;
};

TEST(Routes, Batch) {
    Batch batch({scaledSum(0), plain(), scaledSum(8)});
    COOPVK_CHECK(batch.create());
    batch.expect(0, scaledSumOf(1));
    batch.expect(1, plusOne);
    batch.expect(2, scaledSumOf(9));
}

// A module that only the rewriter gets to judge: the product's inner sizes contradict each other.
Words contradictory() {
    Assembly a;
    a.buffers = {scalars("a", Component::kF32), scalars("b", Component::kF32),
                 scalars("c", Component::kF32), scalars("d", Component::kF32)};
    a.declarations = matrixType("A", Component::kF32, 8, 8, Use::kA) +
                     matrixType("B", Component::kF32, 4, 8, Use::kB) +
                     matrixType("C", Component::kF32, 8, 8, Use::kAccumulator);
    a.body =
        "%pa = OpAccessChain %sb_f32 %a %c_0 %c_0\n%pb = OpAccessChain %sb_f32 %b %c_0 %c_0\n"
        "%pd = OpAccessChain %sb_f32 %d %c_0 %c_0\n"
        "%ma = OpCooperativeMatrixLoadKHR %A %pa %c_0 %c_8\n"
        "%mb = OpCooperativeMatrixLoadKHR %B %pb %c_0 %c_8\n"
        "%mc = OpCooperativeMatrixLoadKHR %C %pa %c_0 %c_8\n"
        "%md = OpCooperativeMatrixMulAddKHR %C %ma %mb %mc\n"
        "OpCooperativeMatrixStoreKHR %pd %md %c_0 %c_8\n";
    return assemble(a, Checked::kNo);
}

TEST(BadCode, BatchGoesOn) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    Batch batch({scaledSum(0), contradictory(), scaledSum(9), plain()});
    const VkResult result = batch.create();
    EXPECT_LT(result, VK_SUCCESS);
    EXPECT_EQ(batch.pipelines[1], VkPipeline{});
    if (batch.pipelines[0]) batch.expect(0, scaledSumOf(1));
    if (batch.pipelines[2]) batch.expect(2, scaledSumOf(10));
    if (batch.pipelines[3]) batch.expect(3, plusOne);
}

TEST(BadCode, EarlyReturn) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    Batch batch({scaledSum(0), contradictory(), scaledSum(9)});
    EXPECT_LT(batch.create(VK_PIPELINE_CREATE_EARLY_RETURN_ON_FAILURE_BIT), VK_SUCCESS);
    EXPECT_EQ(batch.pipelines[1], VkPipeline{});
    EXPECT_EQ(batch.pipelines[2], VkPipeline{});
}

// Creates a module and a pipeline; true if one of the two says that something is wrong.
bool refused(const Words& words, bool inlined) {
    Context& context = Context::get();
    const Layout layout(context);
    VkPipeline pipeline = VK_NULL_HANDLE;
    const VkResult result =
        createPipeline(context, layout.pipeline, words, {.inlined = inlined}, &pipeline);
    EXPECT_TRUE(result == VK_SUCCESS || pipeline == VK_NULL_HANDLE);
    vkDestroyPipeline(context.device, pipeline, nullptr);
    return result < VK_SUCCESS;
}

TEST(BadCode, Contradictory) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    EXPECT_TRUE(refused(contradictory(), false));
    EXPECT_TRUE(refused(contradictory(), true));
}

TEST(BadCode, ShaderObject) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    COOPVK_REQUIRE(Requirement::kShaderObject);
    const Layout layout(Context::get());
    const Specialization special(Context::get(), {});
    const Words words = contradictory();
    ShaderObject shader;
    EXPECT_LT(createShaderObject(layout, VK_SHADER_CODE_TYPE_SPIRV_EXT, words.data(),
                                 words.size() * 4, special, shader),
              VK_SUCCESS);
    EXPECT_EQ(shader.handle, VkShaderEXT{});
}

// Cut anywhere behind the capabilities, so that it still is the rewriter's to refuse.
TEST(BadCode, Truncated) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    const Words whole = scaledSum(0);
    for (size_t percent = 20; percent < 100; percent += 8) {
        const Words part(whole.begin(),
                         whole.begin() + static_cast<std::ptrdiff_t>(whole.size() * percent / 100));
        EXPECT_TRUE(refused(part, false)) << percent;
    }
}

TEST(BadCode, WrongIds) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    const Words whole = scaledSum(0);
    Rng rng("WrongIds");
    int tried = 0;
    // Every operand of a matrix instruction becomes an id that is no such thing.
    for (size_t i = 5; i < whole.size(); i += whole[i] >> 16) {
        const uint32_t opcode = whole[i] & 0xffff;
        if (opcode < 4456 || opcode > 4458) continue;
        for (uint32_t operand = 1; operand < std::min(whole[i] >> 16, 6u); ++operand) {
            for (uint32_t id : {0u, whole[3] + 5, 0xffffffffu, 4u}) {
                Words words = whole;
                words[i + operand] = id;
                if (opcode == 4456 && operand == 1) continue;  // result id of the type
                EXPECT_TRUE(refused(words, false))
                    << "opcode " << opcode << " operand " << operand << " id " << id;
                ++tried;
            }
        }
    }
    EXPECT_GT(tried, 10);
}

TEST(BadCode, NoEntryPoint) {
    COOPVK_REQUIRE(Requirement::kEmulation);
    Context& context = Context::get();
    const Layout layout(context);
    VkPipeline pipeline = VK_NULL_HANDLE;
    EXPECT_LT(
        createPipeline(context, layout.pipeline, scaledSum(0), {.entryPoint = "nobody"}, &pipeline),
        VK_SUCCESS);
}

// Threads make and run pipelines from shared and from their own shaders at once.
TEST(Threads, PipelinesAtOnce) {
    constexpr uint32_t kThreads = 8, kRounds = 4;
    std::vector<Words> sources;
    for (uint32_t i = 0; i < kThreads; ++i) sources.push_back(scaledSum(20 + i));
    std::atomic<int> failures = 0;
    std::vector<std::thread> threads;
    for (uint32_t t = 0; t < kThreads; ++t)
        threads.emplace_back([&, t] {
            try {
                for (uint32_t r = 0; r < kRounds; ++r) {
                    Batch batch({sources[t], sources[(t + r) % kThreads], sources[0]});
                    COOPVK_CHECK(batch.create());
                    batch.expect(0, scaledSumOf(21 + t));
                    batch.expect(1, scaledSumOf(21 + (t + r) % kThreads));
                    batch.expect(2, scaledSumOf(21));
                }
            } catch (const std::exception&) {
                ++failures;
            }
        });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(failures, 0);
}

}  // namespace
}  // namespace coopvk::test
