// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "starving.hpp"

namespace coopvk::test {
namespace {

VkResult createModule(Rig& rig, const char* name) {
    const VkResult result = rig.command<PFN_vkCreateShaderModule>(name)(
        rig.device, &rig.code, rig.allocator(), &rig.modules[0]);
    if (result != VK_SUCCESS) rig.modules[0] = VK_NULL_HANDLE;
    return result;
}

VkResult destroyModule(Rig& rig, const char* name) {
    rig.command<PFN_vkDestroyShaderModule>(name)(rig.device, rig.module(), rig.allocator());
    rig.modules[0] = VK_NULL_HANDLE;
    return VK_SUCCESS;
}

// Without memory for it, none.
VkResult identify(Rig& rig, const char* name) {
    VkShaderModuleIdentifierEXT identifier = {VK_STRUCTURE_TYPE_SHADER_MODULE_IDENTIFIER_EXT,
                                              nullptr, UINT32_MAX};
    rig.command<PFN_vkGetShaderModuleIdentifierEXT>(name)(rig.device, rig.module(), &identifier);
    EXPECT_LE(identifier.identifierSize, VK_MAX_SHADER_MODULE_IDENTIFIER_SIZE_EXT);
    return VK_SUCCESS;
}

VkResult identifyCode(Rig& rig, const char* name) {
    VkShaderModuleIdentifierEXT identifier = {VK_STRUCTURE_TYPE_SHADER_MODULE_IDENTIFIER_EXT,
                                              nullptr, UINT32_MAX};
    rig.command<PFN_vkGetShaderModuleCreateInfoIdentifierEXT>(name)(rig.device, &rig.code,
                                                                    &identifier);
    EXPECT_LE(identifier.identifierSize, VK_MAX_SHADER_MODULE_IDENTIFIER_SIZE_EXT);
    return VK_SUCCESS;
}

VkResult createCompute(Rig& rig, const char* name) {
    VkComputePipelineCreateInfo infos[2] = {{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO},
                                            {VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO}};
    for (auto& info : infos) info.stage = rig.stage;
    return rig.command<PFN_vkCreateComputePipelines>(name)(rig.device, VK_NULL_HANDLE, 2, infos,
                                                           rig.allocator(), rig.pipelines);
}

VkResult createGraphics(Rig& rig, const char* name) {
    VkGraphicsShaderGroupCreateInfoNV group = {
        VK_STRUCTURE_TYPE_GRAPHICS_SHADER_GROUP_CREATE_INFO_NV};
    group.stageCount = 1;
    group.pStages = &rig.stage;
    VkGraphicsPipelineShaderGroupsCreateInfoNV groups = {
        VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_SHADER_GROUPS_CREATE_INFO_NV};
    groups.groupCount = 1;
    groups.pGroups = &group;
    VkGraphicsPipelineCreateInfo infos[2] = {{VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO},
                                             {VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO}};
    infos[0].pNext = &groups;
    for (auto& info : infos) {
        info.stageCount = 1;
        info.pStages = &rig.stage;
    }
    return rig.command<PFN_vkCreateGraphicsPipelines>(name)(rig.device, VK_NULL_HANDLE, 2, infos,
                                                            rig.allocator(), rig.pipelines);
}

template <typename Info, typename Function>
VkResult createStages(Rig& rig, const char* name, VkStructureType type) {
    Info infos[2] = {};
    for (auto& info : infos) {
        info.sType = type;
        info.stageCount = 1;
        info.pStages = &rig.stage;
    }
    return rig.command<Function>(name)(rig.device, VK_NULL_HANDLE, 2, infos, rig.allocator(),
                                       rig.pipelines);
}

VkResult createRayTracingNV(Rig& rig, const char* name) {
    return createStages<VkRayTracingPipelineCreateInfoNV, PFN_vkCreateRayTracingPipelinesNV>(
        rig, name, VK_STRUCTURE_TYPE_RAY_TRACING_PIPELINE_CREATE_INFO_NV);
}

#ifdef VK_AMDX_shader_enqueue
VkResult createGraphs(Rig& rig, const char* name) {
    return createStages<VkExecutionGraphPipelineCreateInfoAMDX,
                        PFN_vkCreateExecutionGraphPipelinesAMDX>(
        rig, name, VK_STRUCTURE_TYPE_EXECUTION_GRAPH_PIPELINE_CREATE_INFO_AMDX);
}
#endif

const auto kOperation = reinterpret_cast<VkDeferredOperationKHR>(uint64_t{7});

VkResult createRayTracing(Rig& rig, const char* name) {
    VkRayTracingPipelineCreateInfoKHR info = {
        VK_STRUCTURE_TYPE_RAY_TRACING_PIPELINE_CREATE_INFO_KHR};
    info.stageCount = 1;
    info.pStages = &rig.stage;
    const auto create = rig.command<PFN_vkCreateRayTracingPipelinesKHR>(name);
    const VkResult result = create(rig.device, VK_NULL_HANDLE, VK_NULL_HANDLE, 1, &info,
                                   rig.allocator(), &rig.pipelines[0]);
    if (result != VK_SUCCESS) return result;
    return create(rig.device, kOperation, VK_NULL_HANDLE, 1, &info, rig.allocator(),
                  &rig.pipelines[1]);
}

VkResult destroyOperation(Rig& rig, const char* name) {
    rig.command<PFN_vkDestroyDeferredOperationKHR>(name)(rig.device, kOperation, rig.allocator());
    return VK_SUCCESS;
}

VkResult createShaders(Rig& rig, const char* name) {
    VkShaderCreateInfoEXT infos[2] = {{VK_STRUCTURE_TYPE_SHADER_CREATE_INFO_EXT},
                                      {VK_STRUCTURE_TYPE_SHADER_CREATE_INFO_EXT}};
    for (auto& info : infos) {
        info.stage = VK_SHADER_STAGE_COMPUTE_BIT;
        info.codeType = VK_SHADER_CODE_TYPE_SPIRV_EXT;
        info.codeSize = rig.code.codeSize;
        info.pCode = rig.code.pCode;
        info.pName = "main";
    }
    return rig.command<PFN_vkCreateShadersEXT>(name)(rig.device, 2, infos, rig.allocator(),
                                                     rig.shaders);
}

VkResult destroyShader(Rig& rig, const char* name) {
    const VkResult result = createShaders(rig, "vkCreateShadersEXT");
    for (VkShaderEXT& shader : rig.shaders) {
        rig.command<PFN_vkDestroyShaderEXT>(name)(rig.device, shader, rig.allocator());
        shader = VK_NULL_HANDLE;
    }
    return result;
}

VkResult getBinary(Rig& rig, const char* name) {
    if (const VkResult result = createShaders(rig, "vkCreateShadersEXT"); result != VK_SUCCESS) {
        return result;
    }
    size_t size = 0;
    return rig.command<PFN_vkGetShaderBinaryDataEXT>(name)(rig.device, rig.shaders[0], &size,
                                                           nullptr);
}

VkResult getKey(Rig& rig, const char* name) {
    VkComputePipelineCreateInfo compute = {VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
    compute.stage = rig.stage;
    const VkPipelineCreateInfoKHR info = {VK_STRUCTURE_TYPE_PIPELINE_CREATE_INFO_KHR, &compute};
    VkPipelineBinaryKeyKHR key = {VK_STRUCTURE_TYPE_PIPELINE_BINARY_KEY_KHR};
    return rig.command<PFN_vkGetPipelineKeyKHR>(name)(rig.device, &info, &key);
}

VkResult createBinaries(Rig& rig, const char* name) {
    VkRayTracingPipelineCreateInfoKHR rays = {
        VK_STRUCTURE_TYPE_RAY_TRACING_PIPELINE_CREATE_INFO_KHR};
    rays.stageCount = 1;
    rays.pStages = &rig.stage;
    const VkPipelineCreateInfoKHR info = {VK_STRUCTURE_TYPE_PIPELINE_CREATE_INFO_KHR, &rays};
    VkPipelineBinaryCreateInfoKHR create = {VK_STRUCTURE_TYPE_PIPELINE_BINARY_CREATE_INFO_KHR};
    create.pPipelineCreateInfo = &info;
    VkPipelineBinaryHandlesInfoKHR handles = {VK_STRUCTURE_TYPE_PIPELINE_BINARY_HANDLES_INFO_KHR};
    handles.pipelineBinaryCount = 1;
    handles.pPipelineBinaries = rig.binaries;
    return rig.command<PFN_vkCreatePipelineBinariesKHR>(name)(rig.device, &create, rig.allocator(),
                                                              &handles);
}

#ifdef VK_ARM_data_graph
VkResult createDataGraphs(Rig& rig, const char* name) {
    VkShaderModuleCreateInfo code = rig.code;
    const VkDataGraphPipelineShaderModuleCreateInfoARM graph = {
        VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_SHADER_MODULE_CREATE_INFO_ARM, &code};
    const VkDataGraphPipelineCreateInfoARM info = {
        VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_CREATE_INFO_ARM, &graph};
    const VkResult result = rig.command<PFN_vkCreateDataGraphPipelinesARM>(name)(
        rig.device, VK_NULL_HANDLE, VK_NULL_HANDLE, 1, &info, rig.allocator(), rig.pipelines);
    EXPECT_LT(result, 0);
    return result == VK_ERROR_UNKNOWN ? VK_SUCCESS : result;
}
#endif

VkResult getIndirect(Rig& rig, const char* name) {
    VkComputePipelineCreateInfo info = {VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
    info.stage = rig.stage;
    VkMemoryRequirements2 requirements = {VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2};
    rig.command<PFN_vkGetPipelineIndirectMemoryRequirementsNV>(name)(rig.device, &info,
                                                                     &requirements);
    return VK_SUCCESS;
}

const StarvingCommand kShaderCommands[] = {
    {"vkCreateShaderModule", Before::kDevice, createModule},
    {"vkDestroyShaderModule", Before::kDevice, destroyModule},
    {"vkGetShaderModuleIdentifierEXT", Before::kDevice, identify},
    {"vkGetShaderModuleCreateInfoIdentifierEXT", Before::kDevice, identifyCode},
    {"vkCreateComputePipelines", Before::kDevice, createCompute},
    {"vkCreateGraphicsPipelines", Before::kDevice, createGraphics},
    {"vkCreateRayTracingPipelinesKHR", Before::kDevice, createRayTracing},
    {"vkCreateRayTracingPipelinesNV", Before::kDevice, createRayTracingNV},
#ifdef VK_AMDX_shader_enqueue
    {"vkCreateExecutionGraphPipelinesAMDX", Before::kDevice, createGraphs},
#endif
#ifdef VK_ARM_data_graph
    {"vkCreateDataGraphPipelinesARM", Before::kDevice, createDataGraphs},
#endif
    {"vkDestroyDeferredOperationKHR", Before::kDevice, destroyOperation},
    {"vkCreateShadersEXT", Before::kDevice, createShaders},
    {"vkDestroyShaderEXT", Before::kDevice, destroyShader},
    {"vkGetShaderBinaryDataEXT", Before::kDevice, getBinary},
    {"vkGetPipelineKeyKHR", Before::kDevice, getKey},
    {"vkCreatePipelineBinariesKHR", Before::kDevice, createBinaries},
    {"vkGetPipelineIndirectMemoryRequirementsNV", Before::kDevice, getIndirect},
};

}  // namespace

std::span<const StarvingCommand> starvingShaderCommands() { return kShaderCommands; }

}  // namespace coopvk::test
