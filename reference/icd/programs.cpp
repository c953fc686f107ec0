// SPDX-License-Identifier: Apache-2.0
#include "programs.hpp"

#include <algorithm>
#include <cstring>

namespace coopvk::reference::icd {
namespace {

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

}  // namespace

std::vector<SpecializationValue> specializationOf(const VkSpecializationInfo* info) {
    std::vector<SpecializationValue> values;
    if (info == nullptr) return values;
    for (uint32_t i = 0; i < info->mapEntryCount; ++i) {
        const VkSpecializationMapEntry& entry = info->pMapEntries[i];
        SpecializationValue& value = values.emplace_back();
        value.constantId = entry.constantID;
        value.size = static_cast<uint32_t>(std::min(entry.size, sizeof(value.bits)));
        std::memcpy(&value.bits, static_cast<const std::byte*>(info->pData) + entry.offset,
                    value.size);
    }
    return values;
}

// The two structures are the same one under two types.
uint32_t subgroupSizeOf(const Device& device, const void* chain, VkStructureType type) {
    const auto* required = find<VkPipelineShaderStageRequiredSubgroupSizeCreateInfo>(chain, type);
    return required != nullptr ? required->requiredSubgroupSize : device.settings().subgroupSize;
}

VkResult makeProgram(Device& device, const Source& source,
                     std::shared_ptr<const Program>& program) {
    ProgramRequest request;
    request.words = source.words;
    request.entryPoint = source.entryPoint;
    request.specialization = source.specialization;
    request.subgroupSize = source.subgroupSize;
    auto made = reference::makeProgram(request);
    if (made) {
        program = *made;
        return VK_SUCCESS;
    }
    const Error& error = made.error();
    send(*device.physical->instance,
         {VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
          VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT, "coopvk-reference-shader", error.message,
          VK_OBJECT_TYPE_DEVICE, &device});
    return resultOf(error.code);
}

}  // namespace coopvk::reference::icd
