// SPDX-License-Identifier: Apache-2.0
//
// Shader modules, pipelines and shader objects.
#include <algorithm>
#include <cstring>
#include <utility>

#include "fakes/fake_parts.hpp"
#include "shaders/pipeline_batch.hpp"
#include "system/hash.hpp"

namespace coopvk::test::fake {
namespace {

using layer::findNode;

VkResult createShaderModule(VkDevice, const VkShaderModuleCreateInfo* info,
                            const VkAllocationCallbacks* allocator, VkShaderModule* module) {
    happen("vkCreateShaderModule");
    if (const VkResult result = makeObject(allocator, module); result != VK_SUCCESS) return result;
    const Words words(info->pCode, info->pCode + info->codeSize / 4);
    driver().createdModules.push_back(words);
    driver().modules[reinterpret_cast<uint64_t>(*module)] = words;
    return VK_SUCCESS;
}

void destroyShaderModule(VkDevice, VkShaderModule module, const VkAllocationCallbacks* allocator) {
    driver().allocators.insert(allocator);
    driver().modules.erase(numberOf(module));
    driver().objects.destroy(numberOf(module), allocator);
    happen("vkDestroyShaderModule");
}

void identify(const Words& words, VkShaderModuleIdentifierEXT* identifier) {
    const uint64_t hash = layer::fnv1a(words);
    identifier->identifierSize = sizeof(hash);
    std::memcpy(identifier->identifier, &hash, sizeof(hash));
}

void getModuleIdentifier(VkDevice, VkShaderModule module, VkShaderModuleIdentifierEXT* out) {
    identify(driver().modules.at(reinterpret_cast<uint64_t>(module)), out);
}

void getCreateInfoIdentifier(VkDevice, const VkShaderModuleCreateInfo* info,
                             VkShaderModuleIdentifierEXT* out) {
    identify(Words(info->pCode, info->pCode + info->codeSize / 4), out);
}

template <typename Info>
SeenStage seeCommon(const Info& info) {
    SeenStage seen;
    seen.stage = info.stage;
    seen.flags = info.flags;
    seen.specialized = info.pSpecializationInfo != nullptr;
    if (seen.specialized && info.pSpecializationInfo->dataSize % sizeof(uint32_t) == 0) {
        seen.constants.resize(info.pSpecializationInfo->dataSize / sizeof(uint32_t));
        std::memcpy(seen.constants.data(), info.pSpecializationInfo->pData,
                    info.pSpecializationInfo->dataSize);
    }
    seen.chain = typesOf(info.pNext);
    const auto* size = findNode<VkPipelineShaderStageRequiredSubgroupSizeCreateInfo>(
        info.pNext, VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO);
    if (size != nullptr) seen.requiredSubgroupSize = size->requiredSubgroupSize;
    return seen;
}

SeenStage see(const VkPipelineShaderStageCreateInfo& info) {
    SeenStage seen = seeCommon(info);
    const auto* code =
        findNode<VkShaderModuleCreateInfo>(info.pNext, VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO);
    if (info.module != VK_NULL_HANDLE) {
        seen.words = driver().modules.at(reinterpret_cast<uint64_t>(info.module));
    } else if (code != nullptr) {
        seen.words.assign(code->pCode, code->pCode + code->codeSize / 4);
    }
    return seen;
}

std::vector<SeenStage> seeStages(const VkComputePipelineCreateInfo& info) {
    return {see(info.stage)};
}
template <typename Info>
std::vector<SeenStage> seeStages(const Info& info) {
    std::vector<SeenStage> seen;
    for (uint32_t i = 0; i < info.stageCount; ++i) seen.push_back(see(info.pStages[i]));
    if constexpr (std::is_same_v<Info, VkGraphicsPipelineCreateInfo>) {
        const auto* groups = findNode<VkGraphicsPipelineShaderGroupsCreateInfoNV>(
            info.pNext, VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_SHADER_GROUPS_CREATE_INFO_NV);
        for (uint32_t g = 0; groups != nullptr && g < groups->groupCount; ++g)
            for (uint32_t i = 0; i < groups->pGroups[g].stageCount; ++i)
                seen.push_back(see(groups->pGroups[g].pStages[i]));
    }
    return seen;
}

template <typename Info>
VkResult createPipelines(uint32_t count, const Info* infos, const VkAllocationCallbacks* allocator,
                         VkPipeline* pipelines) {
    std::fill_n(pipelines, count, VkPipeline(VK_NULL_HANDLE));
    if constexpr (std::is_same_v<Info, VkComputePipelineCreateInfo>) {
        happen("vkCreateComputePipelines");
    }
    for (uint32_t i = 0; i < count; ++i) {
        driver().pipelines.push_back({seeStages(infos[i]), infos[i].basePipelineHandle,
                                      infos[i].basePipelineIndex, infos[i].layout,
                                      layer::pipelineFlags(infos[i])});
        if (driver().pipelineResult < 0) return driver().pipelineResult;
        const VkResult result = makeObject(allocator, &pipelines[i]);
        if (result != VK_SUCCESS) return result;
    }
    return driver().pipelineResult;
}

template <typename Info>
VkResult createPlain(VkDevice, VkPipelineCache, uint32_t count, const Info* infos,
                     const VkAllocationCallbacks* allocator, VkPipeline* pipelines) {
    return createPipelines(count, infos, allocator, pipelines);
}

VkResult createRayTracing(VkDevice, VkDeferredOperationKHR operation, VkPipelineCache,
                          uint32_t count, const VkRayTracingPipelineCreateInfoKHR* infos,
                          const VkAllocationCallbacks* allocator, VkPipeline* pipelines) {
    const VkResult result = createPipelines(count, infos, allocator, pipelines);
    const bool deferred = operation != VK_NULL_HANDLE && result == VK_SUCCESS;
    return deferred ? driver().deferredResult : result;
}

void destroyDeferredOperation(VkDevice, VkDeferredOperationKHR, const VkAllocationCallbacks*) {
    happen("vkDestroyDeferredOperationKHR");
}

#ifdef VK_ARM_data_graph
// Its stage is the graph's.
VkResult createDataGraphs(VkDevice, VkDeferredOperationKHR, VkPipelineCache, uint32_t count,
                          const VkDataGraphPipelineCreateInfoARM* infos,
                          const VkAllocationCallbacks* allocator, VkPipeline* pipelines) {
    for (uint32_t i = 0; i < count; ++i) {
        VkPipelineShaderStageCreateInfo stage = {
            VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, infos[i].pNext};
        const auto* graph = findNode<VkDataGraphPipelineShaderModuleCreateInfoARM>(
            infos[i].pNext, VK_STRUCTURE_TYPE_DATA_GRAPH_PIPELINE_SHADER_MODULE_CREATE_INFO_ARM);
        if (graph != nullptr) stage.module = graph->module;
        driver().pipelines.push_back({{see(stage)}});
        const VkResult result = makeObject(allocator, &pipelines[i]);
        if (result != VK_SUCCESS) return result;
    }
    return VK_SUCCESS;
}
#endif

VkResult createShaders(VkDevice, uint32_t count, const VkShaderCreateInfoEXT* infos,
                       const VkAllocationCallbacks* allocator, VkShaderEXT* shaders) {
    happen("vkCreateShadersEXT");
    std::fill_n(shaders, count, VkShaderEXT(VK_NULL_HANDLE));
    for (uint32_t i = 0; i < count; ++i) {
        SeenStage seen = seeCommon(infos[i]);
        const auto* code = static_cast<const uint32_t*>(infos[i].pCode);
        seen.words.assign(code, code + infos[i].codeSize / 4);
        driver().shaders.push_back(std::move(seen));
        if (driver().shaderResult != VK_SUCCESS) return driver().shaderResult;
        const VkResult result = makeObject(allocator, &shaders[i]);
        if (result != VK_SUCCESS) return result;
    }
    return VK_SUCCESS;
}

// The words' hash, the flags and the size; of all stages.
VkResult getPipelineKey(VkDevice, const VkPipelineCreateInfoKHR* info,
                        VkPipelineBinaryKeyKHR* key) {
    uint64_t hash = 0;
    if (info != nullptr) {
        const auto* compute = findNode<VkComputePipelineCreateInfo>(
            info->pNext, VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO);
        const auto* graphics = findNode<VkGraphicsPipelineCreateInfo>(
            info->pNext, VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO);
        const auto* rays = findNode<VkRayTracingPipelineCreateInfoKHR>(
            info->pNext, VK_STRUCTURE_TYPE_RAY_TRACING_PIPELINE_CREATE_INFO_KHR);
        std::vector<SeenStage> stages;
        if (compute != nullptr) stages = seeStages(*compute);
        if (graphics != nullptr) stages = seeStages(*graphics);
        if (rays != nullptr) stages = seeStages(*rays);
#ifdef VK_AMDX_shader_enqueue
        const auto* graph = findNode<VkExecutionGraphPipelineCreateInfoAMDX>(
            info->pNext, VK_STRUCTURE_TYPE_EXECUTION_GRAPH_PIPELINE_CREATE_INFO_AMDX);
        if (graph != nullptr) stages = seeStages(*graph);
#endif
        for (const SeenStage& stage : stages) {
            hash ^= layer::fnv1a(stage.words) + stage.flags + stage.requiredSubgroupSize;
        }
        driver().pipelines.push_back({std::move(stages)});
    }
    key->keySize = sizeof(hash);
    std::memcpy(key->key, &hash, sizeof(hash));
    return VK_SUCCESS;
}

VkResult createPipelineBinaries(VkDevice device, const VkPipelineBinaryCreateInfoKHR* info,
                                const VkAllocationCallbacks* allocator,
                                VkPipelineBinaryHandlesInfoKHR* out) {
    VkPipelineBinaryKeyKHR key = {};
    if (info->pPipelineCreateInfo) getPipelineKey(device, info->pPipelineCreateInfo, &key);
    out->pipelineBinaryCount = 1;
    if (out->pPipelineBinaries == nullptr) return VK_SUCCESS;
    return makeObject(allocator, &out->pPipelineBinaries[0]);
}

void getIndirectRequirements(VkDevice, const VkComputePipelineCreateInfo* info,
                             VkMemoryRequirements2* requirements) {
    driver().pipelines.push_back({seeStages(*info)});
    requirements->memoryRequirements.size = driver().pipelines.back().stages[0].words.size();
}

void destroyShader(VkDevice device, VkShaderEXT shader, const VkAllocationCallbacks* allocator) {
    destroyObject(device, shader, allocator);
    happen("vkDestroyShaderEXT");
}

VkResult getShaderBinary(VkDevice, VkShaderEXT, size_t* size, void* data) {
    constexpr size_t kSize = 48;
    if (data != nullptr) std::memset(data, 0xab, std::min(*size, kSize));
    const bool fits = data == nullptr || *size >= kSize;
    *size = kSize;
    return fits ? VK_SUCCESS : VK_INCOMPLETE;
}

const Entry kShaderEntries[] = {
    COOPVK_FAKE(vkCreateShaderModule, createShaderModule),
    COOPVK_FAKE(vkDestroyShaderModule, destroyShaderModule),
    COOPVK_FAKE(vkGetShaderModuleIdentifierEXT, getModuleIdentifier),
    COOPVK_FAKE(vkGetShaderModuleCreateInfoIdentifierEXT, getCreateInfoIdentifier),
    COOPVK_FAKE(vkCreateComputePipelines, createPlain<VkComputePipelineCreateInfo>),
    COOPVK_FAKE(vkCreateGraphicsPipelines, createPlain<VkGraphicsPipelineCreateInfo>),
    COOPVK_FAKE(vkCreateRayTracingPipelinesNV, createPlain<VkRayTracingPipelineCreateInfoNV>),
    COOPVK_FAKE(vkCreateRayTracingPipelinesKHR, createRayTracing),
#ifdef VK_AMDX_shader_enqueue
    COOPVK_FAKE(vkCreateExecutionGraphPipelinesAMDX,
                createPlain<VkExecutionGraphPipelineCreateInfoAMDX>),
#endif
#ifdef VK_ARM_data_graph
    COOPVK_FAKE(vkCreateDataGraphPipelinesARM, createDataGraphs),
#endif
    COOPVK_FAKE(vkDestroyDeferredOperationKHR, destroyDeferredOperation),
    COOPVK_FAKE(vkCreateShadersEXT, createShaders),
    COOPVK_FAKE(vkGetPipelineKeyKHR, getPipelineKey),
    COOPVK_FAKE(vkCreatePipelineBinariesKHR, createPipelineBinaries),
    COOPVK_FAKE(vkGetPipelineIndirectMemoryRequirementsNV, getIndirectRequirements),
    COOPVK_FAKE(vkDestroyPipeline, destroyObject<VkPipeline>),
    COOPVK_FAKE(vkDestroyShaderEXT, destroyShader),
    COOPVK_FAKE(vkGetShaderBinaryDataEXT, getShaderBinary),
    COOPVK_FAKE(vkDestroyPipelineBinaryKHR, destroyObject<VkPipelineBinaryKHR>),
};

}  // namespace

std::span<const Entry> shaderEntries() { return kShaderEntries; }

}  // namespace coopvk::test::fake
