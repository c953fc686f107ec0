// SPDX-License-Identifier: Apache-2.0
#include "programs.hpp"

#include <cstring>

#include "commands.hpp"

namespace coopvk::reference::icd {
namespace {

// Caches hold nothing: programs are made in less time than they would be read.
using PipelineCache = ObjectOf<VkPipelineCache>;

VkResult resultOf(ErrorCode code) {
    switch (code) {
        case ErrorCode::kOutOfMemory:
            return VK_ERROR_OUT_OF_HOST_MEMORY;
        case ErrorCode::kUnsupported:
            return VK_ERROR_FEATURE_NOT_PRESENT;
        case ErrorCode::kDeviceLost:
            return VK_ERROR_DEVICE_LOST;
        default:
            return VK_ERROR_INVALID_SHADER_NV;
    }
}

VkPipelineCreateFlags2 flagsOf(const VkComputePipelineCreateInfo& info) {
    const auto* more = find<VkPipelineCreateFlags2CreateInfo>(info.pNext);
    return more != nullptr ? more->flags : info.flags;
}

void fillFeedback(const VkComputePipelineCreateInfo& info) {
    const auto* feedback = find<VkPipelineCreationFeedbackCreateInfo>(info.pNext);
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
    Source source = sourceOf(device, info.stage);
    if (info.stage.module != VK_NULL_HANDLE) {
        source.words = from<ShaderModule>(info.stage.module)->words;
    } else if (const auto* code = find<VkShaderModuleCreateInfo>(info.stage.pNext)) {
        source.words.assign(code->pCode, code->pCode + code->codeSize / sizeof(uint32_t));
    }
    SharedProgram program;
    const VkResult result = makeProgram(device, source, program);
    if (result == VK_SUCCESS) *out = handleOf(new Pipeline(std::move(program)));
    return result;
}

}  // namespace

std::vector<SpecializationValue> specializationOf(const VkSpecializationInfo* info) {
    std::vector<SpecializationValue> values;
    if (info == nullptr) return values;
    for (const auto& entry : std::span(info->pMapEntries, info->mapEntryCount)) {
        SpecializationValue& value = values.emplace_back();
        value.constantId = entry.constantID;
        const bool within =
            entry.size <= info->dataSize && entry.offset <= info->dataSize - entry.size;
        value.size = within ? static_cast<uint32_t>(std::min(entry.size, sizeof(value.bits))) : 0;
        std::memcpy(&value.bits, static_cast<const std::byte*>(info->pData) + entry.offset,
                    value.size);
    }
    return values;
}

VkResult makeProgram(Device& device, const Source& source, SharedProgram& program) {
    for (const SpecializationValue& value : source.specialization)
        if (value.size == 0) return device.refuse("specialization data ends before a value");
    auto made = reference::makeProgram({source.words, source.entryPoint, source.specialization,
                                        source.subgroupSize, device.settings().rounding});
    if (made) {
        program = *made;
        return VK_SUCCESS;
    }
    const Error& error = made.error();
    send(*device.physical->instance,
         {"coopvk-reference-shader", error.message, &device, VK_OBJECT_TYPE_DEVICE});
    return resultOf(error.code);
}

COOPVK_OBJECT(ShaderModule)

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
COOPVK_DESTROY(Pipeline)
COOPVK_OBJECT(PipelineCache)

VkResult GetPipelineCacheData(VkDevice device, VkPipelineCache, size_t* size, void* data) {
    VkPhysicalDeviceProperties properties;
    GetPhysicalDeviceProperties(handleOf(from<Device>(device)->physical), &properties);
    VkPipelineCacheHeaderVersionOne header{sizeof(header), VK_PIPELINE_CACHE_HEADER_VERSION_ONE,
                                           properties.vendorID, properties.deviceID};
    std::copy_n(properties.pipelineCacheUUID, VK_UUID_SIZE, header.pipelineCacheUUID);
    return writeBytes(std::as_bytes(std::span(&header, 1)), size, data);
}

}  // namespace coopvk::reference::icd
