// SPDX-License-Identifier: Apache-2.0
#include "properties.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>

#include "commands.hpp"

namespace coopvk::reference::icd {
namespace {

constexpr VkShaderStageFlags kStages = VK_SHADER_STAGE_COMPUTE_BIT;
constexpr VkSubgroupFeatureFlags kSubgroupOperations =
    VK_SUBGROUP_FEATURE_BASIC_BIT | VK_SUBGROUP_FEATURE_VOTE_BIT |
    VK_SUBGROUP_FEATURE_ARITHMETIC_BIT | VK_SUBGROUP_FEATURE_BALLOT_BIT |
    VK_SUBGROUP_FEATURE_SHUFFLE_BIT | VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT |
    VK_SUBGROUP_FEATURE_CLUSTERED_BIT | VK_SUBGROUP_FEATURE_QUAD_BIT |
    VK_SUBGROUP_FEATURE_ROTATE_BIT | VK_SUBGROUP_FEATURE_ROTATE_CLUSTERED_BIT;
constexpr uint32_t kDescriptors = 1u << 20;

template <size_t N>
void copyText(char (&to)[N], std::string_view text) {
    to[text.copy(to, N - 1)] = '\0';
}

// The same on every machine; caches of other results must not fit.
void fillIdentity(const PhysicalDevice& device, VkPhysicalDeviceVulkan11Properties& p) {
    copyText(reinterpret_cast<char (&)[VK_UUID_SIZE]>(p.driverUUID), "coopvk-ref");
    copyText(reinterpret_cast<char (&)[VK_UUID_SIZE]>(p.deviceUUID), "coopvk-ref");
    p.deviceUUID[VK_UUID_SIZE - 1] = static_cast<uint8_t>(device.settings.subgroupSize);
    p.deviceNodeMask = 1;
}

void fill11(const PhysicalDevice& device, VkPhysicalDeviceVulkan11Properties& p) {
    fillIdentity(device, p);
    p.subgroupSize = device.settings.subgroupSize;
    p.subgroupSupportedStages = kStages;
    p.subgroupSupportedOperations = kSubgroupOperations;
    p.maxPerSetDescriptors = kDescriptors;
    p.maxMemoryAllocationSize = kHeapSize;
}

void fillFloatControls(VkPhysicalDeviceVulkan12Properties& p) {
    p.denormBehaviorIndependence = VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_ALL;
    p.roundingModeIndependence = VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_ALL;
    // Fifteen neighbours: three widths of five behaviours.
    constexpr size_t kCount = 15;
    static_assert(
        offsetof(VkPhysicalDeviceVulkan12Properties, shaderRoundingModeRTZFloat64) -
            offsetof(VkPhysicalDeviceVulkan12Properties, shaderSignedZeroInfNanPreserveFloat16) ==
        (kCount - 1) * sizeof(VkBool32));
    VkBool32* first = &p.shaderSignedZeroInfNanPreserveFloat16;
    std::fill_n(first, kCount, VK_TRUE);
}

void fill12(VkPhysicalDeviceVulkan12Properties& p) {
    copyText(p.driverName, "coopvk reference device");
    copyText(p.driverInfo, "interprets compute shaders; for tests");
    p.conformanceVersion = {1, 3, 0, 0};
    fillFloatControls(p);
    p.maxUpdateAfterBindDescriptorsInAllPools = kDescriptors;
    p.shaderUniformBufferArrayNonUniformIndexingNative = VK_TRUE;
    p.shaderStorageBufferArrayNonUniformIndexingNative = VK_TRUE;
    p.robustBufferAccessUpdateAfterBind = VK_TRUE;
    p.maxPerStageDescriptorUpdateAfterBindSamplers = kDescriptors;
    p.maxPerStageDescriptorUpdateAfterBindUniformBuffers = kDescriptors;
    p.maxPerStageDescriptorUpdateAfterBindStorageBuffers = kDescriptors;
    p.maxPerStageUpdateAfterBindResources = kDescriptors;
    p.maxDescriptorSetUpdateAfterBindSamplers = kDescriptors;
    p.maxDescriptorSetUpdateAfterBindUniformBuffers = kDescriptors;
    p.maxDescriptorSetUpdateAfterBindUniformBuffersDynamic = 64;
    p.maxDescriptorSetUpdateAfterBindStorageBuffers = kDescriptors;
    p.maxDescriptorSetUpdateAfterBindStorageBuffersDynamic = 64;
    p.maxTimelineSemaphoreValueDifference = std::numeric_limits<uint64_t>::max();
}

void fill13(VkPhysicalDeviceVulkan13Properties& p) {
    p.minSubgroupSize = kMinLanes;
    p.maxSubgroupSize = kMaxLanes;
    p.maxComputeWorkgroupSubgroups = limits().maxComputeWorkGroupInvocations / kMinLanes;
    p.requiredSubgroupSizeStages = kStages;
    p.maxInlineUniformBlockSize = 65536;
    p.maxPerStageDescriptorInlineUniformBlocks = 64;
    p.maxPerStageDescriptorUpdateAfterBindInlineUniformBlocks = 64;
    p.maxDescriptorSetInlineUniformBlocks = 64;
    p.maxDescriptorSetUpdateAfterBindInlineUniformBlocks = 64;
    p.maxInlineUniformTotalSize = 64 * 65536;
    // Each dot product is one instruction: as fast as any.
    VkBool32* first = &p.integerDotProduct8BitUnsignedAccelerated;
    VkBool32* last = &p.integerDotProductAccumulatingSaturating64BitMixedSignednessAccelerated;
    std::fill(first, last + 1, VK_TRUE);
    p.storageTexelBufferOffsetAlignmentBytes = kBufferAlignment;
    p.uniformTexelBufferOffsetAlignmentBytes = kBufferAlignment;
    p.maxBufferSize = kHeapSize;
}

void fill14(VkPhysicalDeviceVulkan14Properties& p) {
    p.maxPushDescriptors = kMaxPushDescriptors;
    p.maxCombinedImageSamplerDescriptorCount = 1;
    p.defaultRobustnessStorageBuffers =
        VK_PIPELINE_ROBUSTNESS_BUFFER_BEHAVIOR_ROBUST_BUFFER_ACCESS_2;
    p.defaultRobustnessUniformBuffers =
        VK_PIPELINE_ROBUSTNESS_BUFFER_BEHAVIOR_ROBUST_BUFFER_ACCESS_2;
    p.defaultRobustnessVertexInputs = VK_PIPELINE_ROBUSTNESS_BUFFER_BEHAVIOR_DISABLED;
    p.defaultRobustnessImages = VK_PIPELINE_ROBUSTNESS_IMAGE_BEHAVIOR_DISABLED;
    p.identicalMemoryTypeRequirements = VK_TRUE;
}

// Structures of extensions.

void fill(const PhysicalDevice&, VkPhysicalDeviceShaderObjectPropertiesEXT& p) {
    copyText(reinterpret_cast<char (&)[VK_UUID_SIZE]>(p.shaderBinaryUUID), "coopvk-ref-words");
    p.shaderBinaryVersion = 1;
}
void fill(const PhysicalDevice&, VkPhysicalDeviceRobustness2PropertiesEXT& p) {
    p.robustStorageBufferAccessSizeAlignment = 1;
    p.robustUniformBufferAccessSizeAlignment = 1;
}
void fill(const PhysicalDevice&, VkPhysicalDeviceCooperativeMatrixPropertiesKHR& p) {
    p.cooperativeMatrixSupportedStages = kStages;
}
void fill(const PhysicalDevice&, VkPhysicalDeviceCooperativeMatrixPropertiesNV& p) {
    p.cooperativeMatrixSupportedStages = kStages;
}
void fill(const PhysicalDevice&, VkPhysicalDeviceCooperativeMatrix2PropertiesNV& p) {
    p.cooperativeMatrixWorkgroupScopeMaxWorkgroupSize = limits().maxComputeWorkGroupInvocations;
    p.cooperativeMatrixFlexibleDimensionsMaxDimension = 1024;
}
void fill(const PhysicalDevice&, VkPhysicalDeviceCooperativeVectorPropertiesNV& p) {
    p.cooperativeVectorSupportedStages = kStages;
    p.cooperativeVectorTrainingFloat16Accumulation = VK_TRUE;
    p.cooperativeVectorTrainingFloat32Accumulation = VK_TRUE;
    p.maxCooperativeVectorComponents = 1024;
}

struct Row {
    VkStructureType type;
    const char* extension;  // null: of Vulkan 1.1 to 1.4
    void (*fill)(const PhysicalDevice& device, void* structure);
};

// A row for fill() of an extension's structure. What stands behind sType and pNext becomes zero
// first.
template <typename T>
constexpr Row row(VkStructureType type, const char* extension) {
    return {type, extension, [](const PhysicalDevice& device, void* structure) {
                T& properties = *static_cast<T*>(structure);
                T empty{};
                empty.sType = properties.sType;
                empty.pNext = properties.pNext;
                properties = empty;
                icd::fill(device, properties);
            }};
}

template <typename T>
void copyWhole(void* structure, const T& from) {
    constexpr size_t kHead = sizeof(VkBaseOutStructure);
    std::memcpy(static_cast<std::byte*>(structure) + kHead,
                reinterpret_cast<const std::byte*>(&from) + kHead, sizeof(T) - kHead);
}

// All but the arrays, which belong to the caller and get no elements.
void copy14(const PhysicalDevice& device, void* structure) {
    auto& to = *static_cast<VkPhysicalDeviceVulkan14Properties*>(structure);
    VkPhysicalDeviceVulkan14Properties from = propertiesOf(device).v14;
    from.pCopySrcLayouts = to.pCopySrcLayouts;
    from.pCopyDstLayouts = to.pCopyDstLayouts;
    copyWhole(structure, from);
}

#define COOPVK_PROPERTIES(T, type) \
    Row {                          \
        type, nullptr, [](const PhysicalDevice& device, void* structure) {            \
            [[maybe_unused]] T& to = *static_cast<T*>(structure);                     \
            [[maybe_unused]] const auto [core, v11, v12, v13, v14] = propertiesOf(device);
#define COOPVK_PROPERTY(member, from) std::memcpy(&to.member, &from, sizeof(to.member));
#define COOPVK_PROPERTIES_END \
    }                         \
    }                         \
    ,
#define COOPVK_WHOLE(version)                                                       \
    Row {                                                                           \
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_##version##_PROPERTIES, nullptr, \
            [](const PhysicalDevice& device, void* structure) {                     \
                copyWhole(structure, propertiesOf(device).v1##version);             \
            }                                                                       \
    }
constexpr Row kRows[] = {
#include "properties.inc"
    COOPVK_WHOLE(1),
    COOPVK_WHOLE(2),
    COOPVK_WHOLE(3),
    Row{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_4_PROPERTIES, nullptr, copy14},
    row<VkPhysicalDeviceShaderObjectPropertiesEXT>(
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_OBJECT_PROPERTIES_EXT, "VK_EXT_shader_object"),
    row<VkPhysicalDeviceRobustness2PropertiesEXT>(
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ROBUSTNESS_2_PROPERTIES_EXT, "VK_EXT_robustness2"),
    row<VkPhysicalDeviceCooperativeMatrixPropertiesKHR>(
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_PROPERTIES_KHR,
        "VK_KHR_cooperative_matrix"),
    row<VkPhysicalDeviceCooperativeMatrixPropertiesNV>(
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_PROPERTIES_NV,
        "VK_NV_cooperative_matrix"),
    row<VkPhysicalDeviceCooperativeMatrix2PropertiesNV>(
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_2_PROPERTIES_NV,
        "VK_NV_cooperative_matrix2"),
    row<VkPhysicalDeviceCooperativeVectorPropertiesNV>(
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_VECTOR_PROPERTIES_NV,
        "VK_NV_cooperative_vector"),
};

}  // namespace

AllProperties propertiesOf(const PhysicalDevice& device) {
    AllProperties all{};
    all.core.apiVersion = VK_MAKE_API_VERSION(0, 1, 4, VK_HEADER_VERSION);
    all.core.driverVersion = 1;
    all.core.vendorID = VK_VENDOR_ID_KHRONOS;
    all.core.deviceType = VK_PHYSICAL_DEVICE_TYPE_CPU;
    const std::string lanes = std::to_string(device.settings.subgroupSize);
    copyText(all.core.deviceName, "coopvk reference device, " + lanes + " lanes");
    fillIdentity(device, all.v11);
    std::memcpy(all.core.pipelineCacheUUID, all.v11.deviceUUID, VK_UUID_SIZE);
    all.core.limits = limits();
    fill11(device, all.v11);
    fill12(all.v12);
    fill13(all.v13);
    fill14(all.v14);
    return all;
}

void GetPhysicalDeviceProperties(VkPhysicalDevice handle, VkPhysicalDeviceProperties* out) {
    *out = propertiesOf(*from<PhysicalDevice>(handle)).core;
}

void GetPhysicalDeviceProperties2(VkPhysicalDevice handle, VkPhysicalDeviceProperties2* out) {
    const PhysicalDevice& device = *from<PhysicalDevice>(handle);
    GetPhysicalDeviceProperties(handle, &out->properties);
    for (auto* node = static_cast<VkBaseOutStructure*>(out->pNext); node; node = node->pNext) {
        for (const Row& candidate : kRows) {
            const bool known =
                candidate.extension == nullptr || device.extensions.contains(candidate.extension);
            if (candidate.type == node->sType && known) candidate.fill(device, node);
        }
    }
}

}  // namespace coopvk::reference::icd
