// SPDX-License-Identifier: Apache-2.0
//
// Pipelines of every kind; few real drivers have NV's ray tracing and indirect pipelines, and
// execution graphs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "fakes/shader_routes.hpp"

namespace coopvk::test::pipeline_routes_test {
namespace {

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
    // A library of parts without shaders may have invalid stages.
    VkGraphicsPipelineLibraryCreateInfoEXT parts = {
        VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_LIBRARY_CREATE_INFO_EXT, nullptr,
        VK_GRAPHICS_PIPELINE_LIBRARY_VERTEX_INPUT_INTERFACE_BIT_EXT};
    info.pNext = &parts;
    info.stageCount = 0;
    info.pStages = reinterpret_cast<const VkPipelineShaderStageCreateInfo*>(uintptr_t{1});
    EXPECT_EQ(create(device, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline), VK_SUCCESS);
    EXPECT_TRUE(driver.pipelines.back().stages.empty());
}

// Groups of VK_NV_device_generated_commands have stages of their own, in the chain.
TEST_F(ShaderRoutes, GroupsOfGraphicsPipelines) {
    const VkPipelineShaderStageCreateInfo stages[] = {stageOf(makeModule(plain)),
                                                      stageOf(makeModule(matrix))};
    VkGraphicsShaderGroupCreateInfoNV all[2] = {
        {VK_STRUCTURE_TYPE_GRAPHICS_SHADER_GROUP_CREATE_INFO_NV},
        {VK_STRUCTURE_TYPE_GRAPHICS_SHADER_GROUP_CREATE_INFO_NV}};
    for (size_t i = 0; i < 2; ++i) {
        all[i].stageCount = 1;
        all[i].pStages = &stages[i];
    }
    VkGraphicsPipelineShaderGroupsCreateInfoNV groups = {
        VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_SHADER_GROUPS_CREATE_INFO_NV};
    groups.groupCount = 2;
    groups.pGroups = all;
    VkGraphicsPipelineCreateInfo info = {VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO, &groups};
    info.stageCount = 1;
    info.pStages = stages;
    VkPipeline pipeline = VK_NULL_HANDLE;
    const auto create = COOPVK_DEVICE_COMMAND(driver, device, vkCreateGraphicsPipelines);
    EXPECT_EQ(create(device, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline), VK_SUCCESS);
    ASSERT_EQ(driver.pipelines.back().stages.size(), 3u);
    EXPECT_EQ(last(0).words, plain);
    EXPECT_EQ(last(1).words, plain);
    EXPECT_TRUE(isRewritten(last(2).words));
    EXPECT_EQ(all[1].pStages, &stages[1]) << "the application's";
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

TEST_F(ShaderRoutes, BinariesOfRefusedShadersAreNull) {
    VkComputePipelineCreateInfo compute = {VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
    compute.stage = stageOf(makeModule(matrix));
    compute.stage.pName = "of another module";
    VkPipelineCreateInfoKHR pipeline = {VK_STRUCTURE_TYPE_PIPELINE_CREATE_INFO_KHR, &compute};
    VkPipelineBinaryCreateInfoKHR info = {VK_STRUCTURE_TYPE_PIPELINE_BINARY_CREATE_INFO_KHR};
    info.pPipelineCreateInfo = &pipeline;
    const auto garbage = reinterpret_cast<VkPipelineBinaryKHR>(uint64_t{7});
    VkPipelineBinaryKHR binaries[] = {garbage, garbage, garbage};
    VkPipelineBinaryHandlesInfoKHR handles = {VK_STRUCTURE_TYPE_PIPELINE_BINARY_HANDLES_INFO_KHR};
    handles.pipelineBinaryCount = 2;
    handles.pPipelineBinaries = binaries;
    testing::internal::CaptureStderr();
    EXPECT_LT(COOPVK_DEVICE_COMMAND(driver, device, vkCreatePipelineBinariesKHR)(device, &info,
                                                                                 nullptr, &handles),
              0);
    testing::internal::GetCapturedStderr();
    EXPECT_EQ(binaries[0], VkPipelineBinaryKHR{});
    EXPECT_EQ(binaries[1], VkPipelineBinaryKHR{});
    EXPECT_EQ(binaries[2], garbage) << "not the layer's";
}

// Modules, words and identifiers are ignored beside binaries: their memory may be gone.
TEST_F(ShaderRoutes, PipelinesOfBinaries) {
    const auto binary = reinterpret_cast<VkPipelineBinaryKHR>(uint64_t{7});
    VkPipelineBinaryInfoKHR binaries = {VK_STRUCTURE_TYPE_PIPELINE_BINARY_INFO_KHR, nullptr, 1,
                                        &binary};
    const VkShaderModuleCreateInfo code = infoOf(matrix);
    VkPipelineShaderStageCreateInfo stage = stageOf(VK_NULL_HANDLE);
    stage.pNext = &code;
    stage.pName = "of another module";
    const auto expectIgnored = [&](auto info, const auto& create) {
        info.pNext = &binaries;
        VkPipeline pipeline = VK_NULL_HANDLE;
        EXPECT_EQ(create(info, pipeline), VK_SUCCESS);
        EXPECT_EQ(last().words, matrix) << "as they came";
    };
    VkComputePipelineCreateInfo compute = {VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
    compute.stage = stage;
    expectIgnored(compute, [&](const VkComputePipelineCreateInfo& info, VkPipeline& out) {
        return COOPVK_DEVICE_COMMAND(driver, device, vkCreateComputePipelines)(
            device, VK_NULL_HANDLE, 1, &info, nullptr, &out);
    });
    VkGraphicsPipelineCreateInfo graphics = {VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO};
    graphics.stageCount = 1;
    graphics.pStages = &stage;
    expectIgnored(graphics, [&](const VkGraphicsPipelineCreateInfo& info, VkPipeline& out) {
        return COOPVK_DEVICE_COMMAND(driver, device, vkCreateGraphicsPipelines)(
            device, VK_NULL_HANDLE, 1, &info, nullptr, &out);
    });
    VkRayTracingPipelineCreateInfoKHR rays = {
        VK_STRUCTURE_TYPE_RAY_TRACING_PIPELINE_CREATE_INFO_KHR};
    rays.stageCount = 1;
    rays.pStages = &stage;
    expectIgnored(rays, [&](const VkRayTracingPipelineCreateInfoKHR& info, VkPipeline& out) {
        return COOPVK_DEVICE_COMMAND(driver, device, vkCreateRayTracingPipelinesKHR)(
            device, VK_NULL_HANDLE, VK_NULL_HANDLE, 1, &info, nullptr, &out);
    });
    // A module that exists tells what the layer changed when the binaries were made.
    compute.pNext = &binaries;
    compute.stage = stageOf(makeModule(matrix));
    VkPipeline pipeline = VK_NULL_HANDLE;
    EXPECT_EQ(COOPVK_DEVICE_COMMAND(driver, device, vkCreateComputePipelines)(
                  device, VK_NULL_HANDLE, 1, &compute, nullptr, &pipeline),
              VK_SUCCESS);
    EXPECT_TRUE(isRewritten(last().words));
    compute.stage = stage;
    binaries.binaryCount = 0;  // as if the structure were not there
    compute.stage.pName = "main";
    EXPECT_EQ(COOPVK_DEVICE_COMMAND(driver, device, vkCreateComputePipelines)(
                  device, VK_NULL_HANDLE, 1, &compute, nullptr, &pipeline),
              VK_SUCCESS);
    EXPECT_TRUE(isRewritten(last().words));
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
    COOPVK_DEVICE_COMMAND(driver, device, vkGetPipelineIndirectMemoryRequirementsNV)
    (device, &info, &requirements);
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
        COOPVK_DEVICE_COMMAND(driver, device, vkDestroyDeferredOperationKHR)
        (device, operation, nullptr);
    }
    const VkDeferredOperationKHR operation = reinterpret_cast<VkDeferredOperationKHR>(uint64_t{7});
};

TEST_F(DeferredPipelines, AtOnce) {
    EXPECT_EQ(make(VK_NULL_HANDLE, matrix), VK_SUCCESS);
    EXPECT_TRUE(isRewritten(last().words));
    EXPECT_EQ(driver.modules.size(), 1u) << "the stub";
}

// Data that the driver still reads exists after the call, until the operation is destroyed.
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

}  // namespace
}  // namespace coopvk::test::pipeline_routes_test
