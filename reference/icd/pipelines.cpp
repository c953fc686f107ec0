// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "commands.hpp"
#include "programs.hpp"
#include "properties.hpp"

namespace coopvk::reference::icd {
namespace {

struct PipelineCache : Object {
    using Handle = VkPipelineCache;
};

Source sourceOf(const Device& device, const VkPipelineShaderStageCreateInfo& stage) {
    Source source;
    if (stage.module != VK_NULL_HANDLE) {
        source.words = from<ShaderModule>(stage.module)->words;
    } else if (const auto* code = find<VkShaderModuleCreateInfo>(
                   stage.pNext, VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO)) {
        source.words.assign(code->pCode, code->pCode + code->codeSize / sizeof(uint32_t));
    }
    source.entryPoint = stage.pName;
    source.specialization = specializationOf(stage.pSpecializationInfo);
    source.subgroupSize =
        subgroupSizeOf(device, stage.pNext,
                       VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO);
    return source;
}

VkPipelineCreateFlags2 flagsOf(const VkComputePipelineCreateInfo& info) {
    const auto* more = find<VkPipelineCreateFlags2CreateInfo>(
        info.pNext, VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO);
    return more != nullptr ? more->flags : info.flags;
}

void fillFeedback(const VkComputePipelineCreateInfo& info) {
    const auto* feedback = find<VkPipelineCreationFeedbackCreateInfo>(
        info.pNext, VK_STRUCTURE_TYPE_PIPELINE_CREATION_FEEDBACK_CREATE_INFO);
    if (feedback == nullptr) return;
    const VkPipelineCreationFeedback valid{VK_PIPELINE_CREATION_FEEDBACK_VALID_BIT, 0};
    *feedback->pPipelineCreationFeedback = valid;
    std::fill_n(feedback->pPipelineStageCreationFeedbacks,
                feedback->pipelineStageCreationFeedbackCount, valid);
}

VkResult createPipeline(Device& device, const VkComputePipelineCreateInfo& info, VkPipeline* out) {
    fillFeedback(info);
    if (flagsOf(info) & VK_PIPELINE_CREATE_2_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT)
        return VK_PIPELINE_COMPILE_REQUIRED;
    std::shared_ptr<const Program> program;
    const VkResult result = makeProgram(device, sourceOf(device, info.stage), program);
    return result == VK_SUCCESS ? make<Pipeline>(out, std::move(program)) : result;
}

VkPipelineCacheHeaderVersionOne cacheHeader(const Device& device) {
    const VkPhysicalDeviceProperties properties = propertiesOf(*device.physical).core;
    VkPipelineCacheHeaderVersionOne header{sizeof(header), VK_PIPELINE_CACHE_HEADER_VERSION_ONE,
                                           properties.vendorID, properties.deviceID};
    std::copy_n(properties.pipelineCacheUUID, VK_UUID_SIZE, header.pipelineCacheUUID);
    return header;
}

}  // namespace

VkResult CreateShaderModule(VkDevice, const VkShaderModuleCreateInfo* info,
                            const VkAllocationCallbacks*, VkShaderModule* out) {
    const size_t count = info->codeSize / sizeof(uint32_t);
    return make<ShaderModule>(out, std::vector<uint32_t>(info->pCode, info->pCode + count));
}

void DestroyShaderModule(VkDevice device, VkShaderModule module,
                         const VkAllocationCallbacks* allocator) {
    destroy<ShaderModule>(device, module, allocator);
}

// Each pipeline that fails is null, and does not keep the others from being made.
VkResult CreateComputePipelines(VkDevice handle, VkPipelineCache, uint32_t count,
                                const VkComputePipelineCreateInfo* infos,
                                const VkAllocationCallbacks*, VkPipeline* out) {
    std::fill_n(out, count, VK_NULL_HANDLE);
    VkResult first = VK_SUCCESS;
    for (uint32_t i = 0; i < count; ++i) {
        const VkResult result = createPipeline(*from<Device>(handle), infos[i], &out[i]);
        if (result == VK_SUCCESS) continue;
        if (first == VK_SUCCESS || first == VK_PIPELINE_COMPILE_REQUIRED) first = result;
        if (flagsOf(infos[i]) & VK_PIPELINE_CREATE_2_EARLY_RETURN_ON_FAILURE_BIT) break;
    }
    return first;
}

void DestroyPipeline(VkDevice device, VkPipeline pipeline, const VkAllocationCallbacks* allocator) {
    destroy<Pipeline>(device, pipeline, allocator);
}

// Caches hold nothing: programs are made in less time than they would be read.

VkResult CreatePipelineCache(VkDevice, const VkPipelineCacheCreateInfo*,
                             const VkAllocationCallbacks*, VkPipelineCache* out) {
    return make<PipelineCache>(out);
}

void DestroyPipelineCache(VkDevice device, VkPipelineCache cache,
                          const VkAllocationCallbacks* allocator) {
    destroy<PipelineCache>(device, cache, allocator);
}

VkResult GetPipelineCacheData(VkDevice device, VkPipelineCache, size_t* size, void* data) {
    const VkPipelineCacheHeaderVersionOne header = cacheHeader(*from<Device>(device));
    if (data == nullptr) {
        *size = sizeof(header);
        return VK_SUCCESS;
    }
    const bool fits = *size >= sizeof(header);
    *size = fits ? sizeof(header) : 0;
    std::memcpy(data, &header, *size);
    return fits ? VK_SUCCESS : VK_INCOMPLETE;
}

VkResult MergePipelineCaches(VkDevice, VkPipelineCache, uint32_t, const VkPipelineCache*) {
    return VK_SUCCESS;
}

}  // namespace coopvk::reference::icd
