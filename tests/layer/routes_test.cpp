// SPDX-License-Identifier: Apache-2.0
//
// Every way in which a shader reaches the driver, above one that writes down what it gets. What
// few real drivers have is tested here only: identifiers, pipeline keys and binaries, NV's ray
// tracing and indirect pipelines, execution graphs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "assemble.hpp"
#include "coopvk/rewrite.hpp"
#include "fake_driver.hpp"

namespace coopvk::test {
namespace {

Words matrixShader() { return assemble(multiplyModule(16, 16, 16)); }

Words plainShader() {
    return assemble(R"(
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
%void = OpTypeVoid
%f = OpTypeFunction %void
%main = OpFunction %void None %f
%label = OpLabel
OpReturn
OpFunctionEnd
)");
}

bool isRewritten(const Words& words) {
    return rewrite::scan(words, rewrite::ExtensionSet::all()).empty() &&
           rewrite::disassemble(words).find("StorageBuffer") != std::string::npos &&
           !rewrite::validate(words).has_value();
}

class ShaderRoutes : public testing::Test {
 protected:
    ShaderRoutes() : matrix(matrixShader()), plain(plainShader()) {
        setenv("COOPVK_EMULATE", "auto", 1);
        start();
    }
    ~ShaderRoutes() override {
        stop();
        EXPECT_TRUE(driver.modules.empty()) << driver.modules.size() << " modules left";
        unsetenv("COOPVK_EMULATE");
    }
    void start() {
        driver.makeInstance();
        device = driver.makeMatrixDevice();
        ASSERT_NE(device, VK_NULL_HANDLE);
    }
    // With its modules.
    void stop() {
        for (VkShaderModule module : made) destroyModule(module);
        made.clear();
        driver.destroyDevice(device);
        driver.destroyInstance();
    }

    static VkShaderModuleCreateInfo infoOf(const Words& words) {
        VkShaderModuleCreateInfo info = {VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
        info.codeSize = words.size() * 4;
        info.pCode = words.data();
        return info;
    }
    VkShaderModule makeModule(const Words& words) {
        const VkShaderModuleCreateInfo info = infoOf(words);
        VkShaderModule module = VK_NULL_HANDLE;
        EXPECT_EQ(COOPVK_DEVICE_COMMAND(driver, device, vkCreateShaderModule)(device, &info,
                                                                              nullptr, &module),
                  VK_SUCCESS);
        made.push_back(module);
        return module;
    }
    void destroyModule(VkShaderModule module) {
        COOPVK_DEVICE_COMMAND(driver, device, vkDestroyShaderModule)(device, module, nullptr);
    }
    VkPipelineShaderStageCreateInfo stageOf(VkShaderModule module) {
        VkPipelineShaderStageCreateInfo stage = {
            VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO};
        stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
        stage.module = module;
        stage.pName = "main";
        return stage;
    }
    VkResult makeCompute(const VkPipelineShaderStageCreateInfo& stage) {
        VkComputePipelineCreateInfo info = {VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
        info.stage = stage;
        VkPipeline pipeline = VK_NULL_HANDLE;
        const VkResult result = COOPVK_DEVICE_COMMAND(driver, device, vkCreateComputePipelines)(
            device, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline);
        EXPECT_EQ(pipeline != VK_NULL_HANDLE, result == VK_SUCCESS);
        return result;
    }
    const SeenStage& last(size_t stage = 0) { return driver.pipelines.back().stages.at(stage); }

    FakeDriver driver;
    VkDevice device = VK_NULL_HANDLE;
    const Words matrix, plain;
    std::vector<VkShaderModule> made;
};

// The driver gets a stub for the module, and the rewritten words for the pipeline.
TEST_F(ShaderRoutes, Modules) {
    const VkShaderModule module = makeModule(matrix);
    ASSERT_EQ(driver.createdModules.size(), 1u);
    EXPECT_NE(driver.createdModules[0], matrix);
    EXPECT_EQ(makeCompute(stageOf(module)), VK_SUCCESS);
    EXPECT_TRUE(isRewritten(last().words));
    EXPECT_EQ(driver.modules.size(), 1u) << "only the stub is left";
}

TEST_F(ShaderRoutes, PlainModules) {
    EXPECT_EQ(makeCompute(stageOf(makeModule(plain))), VK_SUCCESS);
    EXPECT_EQ(driver.createdModules, (std::vector<Words>{plain}));
    EXPECT_EQ(last().words, plain);
    EXPECT_EQ(last().flags, 0u);
}

TEST_F(ShaderRoutes, InlinedModules) {
    VkShaderModuleCreateInfo code = infoOf(matrix);
    VkPipelineShaderStageCreateInfo stage = stageOf(VK_NULL_HANDLE);
    stage.pNext = &code;
    EXPECT_EQ(makeCompute(stage), VK_SUCCESS);
    EXPECT_TRUE(isRewritten(last().words));
    EXPECT_EQ(std::ranges::count(last().chain, VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO), 0);
    code = infoOf(plain);
    EXPECT_EQ(makeCompute(stage), VK_SUCCESS);
    EXPECT_EQ(last().words, plain);
}

TEST_F(ShaderRoutes, SpecializationIsFrozen) {
    const uint32_t rows = 8;
    const VkSpecializationMapEntry entry = {0, 0, 4};
    const VkSpecializationInfo special = {1, &entry, 4, &rows};
    VkPipelineShaderStageCreateInfo stage = stageOf(makeModule(matrix));
    EXPECT_EQ(makeCompute(stage), VK_SUCCESS);
    const Words unspecialized = last().words;
    stage.pSpecializationInfo = &special;
    EXPECT_EQ(makeCompute(stage), VK_SUCCESS);
    EXPECT_FALSE(last().specialized);
    EXPECT_NE(last().words, unspecialized);
}

TEST_F(ShaderRoutes, ContradictoryStages) {
    testing::internal::CaptureStderr();
    const uint32_t rows = 8;
    const VkSpecializationMapEntry entry = {0, 4, 4};
    const VkSpecializationInfo special = {1, &entry, 4, &rows};
    VkPipelineShaderStageCreateInfo stage = stageOf(makeModule(matrix));
    stage.pSpecializationInfo = &special;
    EXPECT_LT(makeCompute(stage), 0);
    stage.pSpecializationInfo = nullptr;
    stage.pName = "no_such_entry_point";
    EXPECT_LT(makeCompute(stage), 0);
    VkPipelineShaderStageRequiredSubgroupSizeCreateInfo size = {
        VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO, nullptr, 24};
    stage.pName = "main";
    stage.pNext = &size;
    EXPECT_LT(makeCompute(stage), 0);
    EXPECT_TRUE(driver.pipelines.empty()) << "nothing of it may reach the driver";
    const std::string text = testing::internal::GetCapturedStderr();
    EXPECT_NE(text.find("specialization data"), std::string::npos) << text;
    EXPECT_NE(text.find("no_such_entry_point"), std::string::npos) << text;
    EXPECT_NE(text.find("subgroup size"), std::string::npos) << text;
}

TEST_F(ShaderRoutes, IdentifiersAreOurs) {
    const VkShaderModule module = makeModule(matrix);
    VkShaderModuleIdentifierEXT byModule = {VK_STRUCTURE_TYPE_SHADER_MODULE_IDENTIFIER_EXT};
    VkShaderModuleIdentifierEXT byInfo = byModule, ofStub = byModule;
    COOPVK_DEVICE_COMMAND(driver, device, vkGetShaderModuleIdentifierEXT)(device, module,
                                                                          &byModule);
    const VkShaderModuleCreateInfo info = infoOf(matrix);
    COOPVK_DEVICE_COMMAND(driver, device, vkGetShaderModuleCreateInfoIdentifierEXT)(device, &info,
                                                                                    &byInfo);
    EXPECT_EQ(byModule.identifierSize, 32u);
    EXPECT_EQ(std::memcmp(byModule.identifier, byInfo.identifier, 32), 0);
    COOPVK_DEVICE_COMMAND(driver, device, vkGetShaderModuleIdentifierEXT)(device, makeModule(plain),
                                                                          &ofStub);
    EXPECT_EQ(ofStub.identifierSize, 8u) << "the driver's own";

    // A pipeline from the identifier alone.
    VkPipelineShaderStageModuleIdentifierCreateInfoEXT named = {
        VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_MODULE_IDENTIFIER_CREATE_INFO_EXT};
    named.identifierSize = byModule.identifierSize;
    named.pIdentifier = byModule.identifier;
    VkPipelineShaderStageCreateInfo stage = stageOf(VK_NULL_HANDLE);
    stage.pNext = &named;
    EXPECT_EQ(makeCompute(stage), VK_SUCCESS);
    EXPECT_TRUE(isRewritten(last().words));
    EXPECT_EQ(last().chain.size(), 0u);
}

TEST_F(ShaderRoutes, IdentifiersDependOnSettings) {
    const auto identify = [&] {
        VkShaderModuleIdentifierEXT out = {VK_STRUCTURE_TYPE_SHADER_MODULE_IDENTIFIER_EXT};
        const VkShaderModuleCreateInfo info = infoOf(matrix);
        COOPVK_DEVICE_COMMAND(driver, device, vkGetShaderModuleCreateInfoIdentifierEXT)(
            device, &info, &out);
        return std::string(reinterpret_cast<char*>(out.identifier), out.identifierSize);
    };
    const std::string first = identify();
    stop();
    start();
    EXPECT_EQ(identify(), first);
    stop();
    setenv("COOPVK_EMULATE", "all", 1);
    start();
    EXPECT_NE(identify(), first);
}

class PipelineKeys : public ShaderRoutes {
 protected:
    std::string key(const void* pipeline) {
        VkPipelineCreateInfoKHR info = {VK_STRUCTURE_TYPE_PIPELINE_CREATE_INFO_KHR,
                                        const_cast<void*>(pipeline)};
        VkPipelineBinaryKeyKHR out = {VK_STRUCTURE_TYPE_PIPELINE_BINARY_KEY_KHR};
        EXPECT_EQ(COOPVK_DEVICE_COMMAND(driver, device, vkGetPipelineKeyKHR)(
                      device, pipeline == nullptr ? nullptr : &info, &out),
                  VK_SUCCESS);
        return std::string(reinterpret_cast<char*>(out.key), out.keySize);
    }
    std::string computeKey(const Words& words) {
        VkComputePipelineCreateInfo info = {VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
        info.stage = stageOf(makeModule(words));
        return key(&info);
    }
};

TEST_F(PipelineKeys, OfRewrittenPipelines) {
    const std::string matrixKey = computeKey(matrix);
    EXPECT_TRUE(isRewritten(last().words));
    EXPECT_EQ(matrixKey.size(), 32u);
    EXPECT_EQ(computeKey(matrix), matrixKey);
    EXPECT_NE(computeKey(assemble(multiplyModule(8, 16, 16))), matrixKey);
    EXPECT_EQ(computeKey(plain).size(), 8u) << "the driver's own";
    EXPECT_EQ(last().words, plain);
}

TEST_F(PipelineKeys, DependOnSettings) {
    const std::string matrixKey = computeKey(matrix), plainKey = computeKey(plain);
    const std::string global = key(nullptr);
    stop();
    setenv("COOPVK_EMULATE", "all", 1);
    start();
    EXPECT_NE(computeKey(matrix), matrixKey);
    EXPECT_NE(key(nullptr), global);
    EXPECT_EQ(computeKey(plain), plainKey);
}

TEST_F(PipelineKeys, OfGraphicsPipelines) {
    const VkPipelineShaderStageCreateInfo stages[] = {stageOf(makeModule(plain)),
                                                      stageOf(makeModule(matrix))};
    VkGraphicsPipelineCreateInfo info = {VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO};
    info.stageCount = 2;
    info.pStages = stages;
    EXPECT_EQ(key(&info).size(), 32u);
    EXPECT_EQ(last(0).words, plain);
    EXPECT_TRUE(isRewritten(last(1).words));
    EXPECT_EQ(info.pStages, stages);
}

TEST_F(PipelineKeys, BinariesFromACreateInfo) {
    VkComputePipelineCreateInfo compute = {VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
    compute.stage = stageOf(makeModule(matrix));
    VkPipelineCreateInfoKHR outer = {VK_STRUCTURE_TYPE_PIPELINE_CREATE_INFO_KHR, &compute};
    VkPipelineBinaryCreateInfoKHR info = {VK_STRUCTURE_TYPE_PIPELINE_BINARY_CREATE_INFO_KHR};
    info.pPipelineCreateInfo = &outer;
    VkPipelineBinaryHandlesInfoKHR out = {VK_STRUCTURE_TYPE_PIPELINE_BINARY_HANDLES_INFO_KHR};
    const auto create = COOPVK_DEVICE_COMMAND(driver, device, vkCreatePipelineBinariesKHR);
    EXPECT_EQ(create(device, &info, nullptr, &out), VK_SUCCESS);
    EXPECT_TRUE(isRewritten(last().words));
    EXPECT_EQ(outer.pNext, &compute);
    // Binaries that the application kept carry no words.
    driver.pipelines.clear();
    info.pPipelineCreateInfo = nullptr;
    EXPECT_EQ(create(device, &info, nullptr, &out), VK_SUCCESS);
    EXPECT_TRUE(driver.pipelines.empty());
}

TEST_F(ShaderRoutes, GraphicsPipelines) {
    VkPipelineShaderStageCreateInfo stages[] = {stageOf(makeModule(plain)),
                                                stageOf(makeModule(plain))};
    VkGraphicsPipelineCreateInfo info = {VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO};
    info.stageCount = 2;
    info.pStages = stages;
    VkPipeline pipeline = VK_NULL_HANDLE;
    const auto create = COOPVK_DEVICE_COMMAND(driver, device, vkCreateGraphicsPipelines);
    EXPECT_EQ(create(device, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline), VK_SUCCESS);
    EXPECT_EQ(last(0).words, plain);
    // A library of other parts than shaders may have anything for stages.
    VkGraphicsPipelineLibraryCreateInfoEXT parts = {
        VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_LIBRARY_CREATE_INFO_EXT, nullptr,
        VK_GRAPHICS_PIPELINE_LIBRARY_VERTEX_INPUT_INTERFACE_BIT_EXT};
    info.pNext = &parts;
    info.stageCount = 0;
    info.pStages = reinterpret_cast<const VkPipelineShaderStageCreateInfo*>(uintptr_t{1});
    EXPECT_EQ(create(device, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline), VK_SUCCESS);
    EXPECT_TRUE(driver.pipelines.back().stages.empty());
}

TEST_F(ShaderRoutes, RayTracingPipelinesNV) {
    const VkPipelineShaderStageCreateInfo stages[] = {stageOf(makeModule(plain)),
                                                      stageOf(makeModule(matrix))};
    VkRayTracingPipelineCreateInfoNV info = {VK_STRUCTURE_TYPE_RAY_TRACING_PIPELINE_CREATE_INFO_NV};
    info.stageCount = 2;
    info.pStages = stages;
    VkPipeline pipeline = VK_NULL_HANDLE;
    EXPECT_EQ(COOPVK_DEVICE_COMMAND(driver, device, vkCreateRayTracingPipelinesNV)(
                  device, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline),
              VK_SUCCESS);
    EXPECT_EQ(last(0).words, plain);
    EXPECT_TRUE(isRewritten(last(1).words));
}

#ifdef VK_AMDX_shader_enqueue
TEST_F(ShaderRoutes, ExecutionGraphs) {
    const VkPipelineShaderStageCreateInfo stage = stageOf(makeModule(matrix));
    VkExecutionGraphPipelineCreateInfoAMDX info = {
        VK_STRUCTURE_TYPE_EXECUTION_GRAPH_PIPELINE_CREATE_INFO_AMDX};
    info.stageCount = 1;
    info.pStages = &stage;
    VkPipeline pipeline = VK_NULL_HANDLE;
    EXPECT_EQ(COOPVK_DEVICE_COMMAND(driver, device, vkCreateExecutionGraphPipelinesAMDX)(
                  device, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline),
              VK_SUCCESS);
    EXPECT_TRUE(isRewritten(last().words));
}
#endif

TEST_F(ShaderRoutes, IndirectPipelines) {
    VkComputePipelineCreateInfo info = {VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
    info.stage = stageOf(makeModule(matrix));
    VkMemoryRequirements2 requirements = {VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2};
    COOPVK_DEVICE_COMMAND(driver, device, vkGetPipelineIndirectMemoryRequirementsNV)(device, &info,
                                                                                     &requirements);
    EXPECT_TRUE(isRewritten(last().words));
    EXPECT_EQ(requirements.memoryRequirements.size, last().words.size());
}

class DeferredPipelines : public ShaderRoutes {
 protected:
    VkResult make(VkDeferredOperationKHR with, const Words& words) {
        const VkPipelineShaderStageCreateInfo stage = stageOf(makeModule(words));
        VkRayTracingPipelineCreateInfoKHR info = {
            VK_STRUCTURE_TYPE_RAY_TRACING_PIPELINE_CREATE_INFO_KHR};
        info.stageCount = 1;
        info.pStages = &stage;
        VkPipeline pipeline = VK_NULL_HANDLE;
        return COOPVK_DEVICE_COMMAND(driver, device, vkCreateRayTracingPipelinesKHR)(
            device, with, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline);
    }
    void destroy() {
        COOPVK_DEVICE_COMMAND(driver, device, vkDestroyDeferredOperationKHR)(device, operation,
                                                                             nullptr);
    }
    const VkDeferredOperationKHR operation = reinterpret_cast<VkDeferredOperationKHR>(uint64_t{7});
};

TEST_F(DeferredPipelines, AtOnce) {
    EXPECT_EQ(make(VK_NULL_HANDLE, matrix), VK_SUCCESS);
    EXPECT_TRUE(isRewritten(last().words));
    EXPECT_EQ(driver.modules.size(), 1u) << "the stub";
}

// What the driver still reads outlives the call, until the operation goes.
TEST_F(DeferredPipelines, Later) {
    EXPECT_EQ(make(operation, matrix), VK_OPERATION_DEFERRED_KHR);
    EXPECT_EQ(driver.modules.size(), 2u) << "the stub, and the module that it still reads";
    destroy();
    EXPECT_EQ(driver.modules.size(), 1u);
}

TEST_F(DeferredPipelines, UsedAgain) {
    EXPECT_EQ(make(operation, matrix), VK_OPERATION_DEFERRED_KHR);
    EXPECT_EQ(make(operation, matrix), VK_OPERATION_DEFERRED_KHR);
    EXPECT_EQ(driver.modules.size(), 3u) << "two stubs, one module";
    EXPECT_EQ(make(operation, plain), VK_OPERATION_DEFERRED_KHR);
    EXPECT_EQ(driver.modules.size(), 3u) << "two stubs, a plain module";
    destroy();
}

TEST_F(DeferredPipelines, NotDeferredAfterAll) {
    driver.deferredResult = VK_OPERATION_NOT_DEFERRED_KHR;
    EXPECT_EQ(make(operation, matrix), VK_OPERATION_NOT_DEFERRED_KHR);
    EXPECT_EQ(driver.modules.size(), 1u);
    driver.pipelineResult = VK_ERROR_OUT_OF_HOST_MEMORY;
    EXPECT_EQ(make(operation, matrix), VK_ERROR_OUT_OF_HOST_MEMORY);
    EXPECT_EQ(driver.modules.size(), 2u);
    destroy();
}

// Never destroyed, but its device is.
TEST_F(DeferredPipelines, LeftOver) {
    EXPECT_EQ(make(operation, matrix), VK_OPERATION_DEFERRED_KHR);
}

TEST_F(ShaderRoutes, ShaderObjects) {
    VkShaderCreateInfoEXT infos[3] = {};
    const Words* code[] = {&plain, &matrix, &matrix};
    for (size_t i = 0; i < 3; ++i) {
        infos[i].sType = VK_STRUCTURE_TYPE_SHADER_CREATE_INFO_EXT;
        infos[i].stage = VK_SHADER_STAGE_COMPUTE_BIT;
        infos[i].codeType = VK_SHADER_CODE_TYPE_SPIRV_EXT;
        infos[i].codeSize = code[i]->size() * 4;
        infos[i].pCode = code[i]->data();
        infos[i].pName = "main";
    }
    infos[2].codeType = VK_SHADER_CODE_TYPE_BINARY_EXT;  // whatever its bytes look like
    VkShaderEXT shaders[3] = {};
    const auto create = COOPVK_DEVICE_COMMAND(driver, device, vkCreateShadersEXT);
    EXPECT_EQ(create(device, 3, infos, nullptr, shaders), VK_SUCCESS);
    EXPECT_EQ(driver.shaders[0].words, plain);
    EXPECT_TRUE(isRewritten(driver.shaders[1].words));
    EXPECT_EQ(driver.shaders[2].words, matrix);
    EXPECT_EQ(infos[1].pCode, matrix.data());

    // The first null handle is the shader that failed; those before it exist.
    driver.shaders.clear();
    infos[0].flags = infos[1].flags = VK_SHADER_CREATE_LINK_STAGE_BIT_EXT;
    infos[1].pName = "nothing";
    testing::internal::CaptureStderr();
    EXPECT_LT(create(device, 3, infos, nullptr, shaders), 0);
    testing::internal::GetCapturedStderr();
    ASSERT_EQ(driver.shaders.size(), 1u);
    EXPECT_EQ(driver.shaders[0].flags & VK_SHADER_CREATE_LINK_STAGE_BIT_EXT, 0u);
    EXPECT_NE(shaders[0], VK_NULL_HANDLE);
    EXPECT_EQ(shaders[1], VK_NULL_HANDLE);
    EXPECT_EQ(shaders[2], VK_NULL_HANDLE);
}

// Where the size varies the driver is told which one the code was made for.
TEST_F(ShaderRoutes, RequiredSubgroupSize) {
    EXPECT_EQ(makeCompute(stageOf(makeModule(matrix))), VK_SUCCESS);
    EXPECT_EQ(last().requiredSubgroupSize, 0u) << "it cannot vary";
    EXPECT_TRUE(last().flags & VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT);
    stop();
    driver.minSubgroupSize = 8;
    driver.maxSubgroupSize = 64;
    start();
    VkPipelineShaderStageCreateInfo stage = stageOf(makeModule(matrix));
    stage.flags = VK_PIPELINE_SHADER_STAGE_CREATE_ALLOW_VARYING_SUBGROUP_SIZE_BIT;
    EXPECT_EQ(makeCompute(stage), VK_SUCCESS);
    EXPECT_EQ(last().requiredSubgroupSize, 32u);
    EXPECT_EQ(last().flags, VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT);
    VkPipelineShaderStageRequiredSubgroupSizeCreateInfo size = {
        VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO, nullptr, 16};
    stage.pNext = &size;
    stage.flags = 0;
    EXPECT_EQ(makeCompute(stage), VK_SUCCESS);
    EXPECT_EQ(last().requiredSubgroupSize, 16u);
    EXPECT_EQ(last().chain.size(), 1u);
}

// Every module that the layer makes and destroys goes through the application's allocator.
TEST_F(ShaderRoutes, Allocators) {
    const VkAllocationCallbacks allocator = {};
    const VkShaderModuleCreateInfo code = infoOf(matrix);
    VkShaderModule module = VK_NULL_HANDLE;
    driver.allocators.clear();
    EXPECT_EQ(COOPVK_DEVICE_COMMAND(driver, device, vkCreateShaderModule)(device, &code, &allocator,
                                                                          &module),
              VK_SUCCESS);
    VkComputePipelineCreateInfo info = {VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
    info.stage = stageOf(module);
    VkPipeline pipeline = VK_NULL_HANDLE;
    EXPECT_EQ(COOPVK_DEVICE_COMMAND(driver, device, vkCreateComputePipelines)(
                  device, VK_NULL_HANDLE, 1, &info, &allocator, &pipeline),
              VK_SUCCESS);
    COOPVK_DEVICE_COMMAND(driver, device, vkDestroyShaderModule)(device, module, &allocator);
    EXPECT_EQ(driver.allocators, (std::set<const VkAllocationCallbacks*>{&allocator}));
}

}  // namespace
}  // namespace coopvk::test
