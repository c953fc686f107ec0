// SPDX-License-Identifier: Apache-2.0
#include "extension_rows.hpp"

#include "device_facts.hpp"

namespace coopvk::layer {
namespace {

using rewrite::Extension;

constexpr Feature kMatrixNeeds[] = {
    Feature::kShaderFloat64,
    Feature::kShaderInt64,
    Feature::kShaderInt16,
    Feature::kStorageBuffer16BitAccess,
    Feature::kStorageBuffer8BitAccess,
    Feature::kShaderFloat16,
    Feature::kShaderInt8,
    Feature::kVulkanMemoryModel,
    Feature::kVulkanMemoryModelDeviceScope,
    Feature::kShaderSubgroupExtendedTypes,
    Feature::kSubgroupSizeControl,
    Feature::kComputeFullSubgroups,
    Feature::kShaderIntegerDotProduct,
};

constexpr Feature kVectorNeeds[] = {
    Feature::kShaderInt16,
    Feature::kStorageBuffer16BitAccess,
    Feature::kStorageBuffer8BitAccess,
    Feature::kShaderFloat16,
    Feature::kShaderInt8,
    Feature::kVulkanMemoryModel,
    Feature::kVulkanMemoryModelDeviceScope,
    Feature::kShaderSubgroupExtendedTypes,
    Feature::kSubgroupSizeControl,
    Feature::kComputeFullSubgroups,
    Feature::kShaderIntegerDotProduct,
    Feature::kBufferDeviceAddress,
    Feature::kShaderBufferFloat32AtomicAdd,
    Feature::kShaderSharedFloat32AtomicAdd,
};

constexpr VkShaderStageFlags kAllStages =
    VK_SHADER_STAGE_ALL_GRAPHICS | VK_SHADER_STAGE_COMPUTE_BIT | VK_SHADER_STAGE_TASK_BIT_EXT |
    VK_SHADER_STAGE_MESH_BIT_EXT | VK_SHADER_STAGE_RAYGEN_BIT_KHR |
    VK_SHADER_STAGE_ANY_HIT_BIT_KHR | VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR |
    VK_SHADER_STAGE_MISS_BIT_KHR | VK_SHADER_STAGE_INTERSECTION_BIT_KHR |
    VK_SHADER_STAGE_CALLABLE_BIT_KHR;

void khrMatrixFeatures(const DeviceFacts& facts, void* node) {
    auto& features = *static_cast<VkPhysicalDeviceCooperativeMatrixFeaturesKHR*>(node);
    features.cooperativeMatrix = VK_TRUE;
    // A matrix access becomes accesses to its elements, which are as robust as any others.
    features.cooperativeMatrixRobustBufferAccess = facts.has(Feature::kRobustBufferAccess);
}

void khrMatrixProperties(const DeviceFacts&, void* node) {
    auto& properties = *static_cast<VkPhysicalDeviceCooperativeMatrixPropertiesKHR*>(node);
    properties.cooperativeMatrixSupportedStages = VK_SHADER_STAGE_COMPUTE_BIT;
}

void nvVectorFeatures(const DeviceFacts&, void* node) {
    auto& features = *static_cast<VkPhysicalDeviceCooperativeVectorFeaturesNV*>(node);
    features.cooperativeVector = VK_TRUE;
    features.cooperativeVectorTraining = VK_TRUE;
}

void nvVectorProperties(const DeviceFacts&, void* node) {
    auto& properties = *static_cast<VkPhysicalDeviceCooperativeVectorPropertiesNV*>(node);
    properties.cooperativeVectorSupportedStages = kAllStages;
    properties.cooperativeVectorTrainingFloat16Accumulation = VK_TRUE;
    properties.cooperativeVectorTrainingFloat32Accumulation = VK_TRUE;
    properties.maxCooperativeVectorComponents = 1024;
}

constexpr ExtensionRow kRows[] = {
    {Extension::kKhrCooperativeMatrix,
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR,
     sizeof(VkPhysicalDeviceCooperativeMatrixFeaturesKHR),
     COOPVK_FEATURE_BITS(VkPhysicalDeviceCooperativeMatrixFeaturesKHR, cooperativeMatrix,
                         cooperativeMatrixRobustBufferAccess),
     offsetof(VkPhysicalDeviceCooperativeMatrixFeaturesKHR, cooperativeMatrix), khrMatrixFeatures,
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_PROPERTIES_KHR, khrMatrixProperties,
     kMatrixNeeds, khrMatrixDependents},
    {Extension::kNvCooperativeVector,
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_VECTOR_FEATURES_NV,
     sizeof(VkPhysicalDeviceCooperativeVectorFeaturesNV),
     COOPVK_FEATURE_BITS(VkPhysicalDeviceCooperativeVectorFeaturesNV, cooperativeVector,
                         cooperativeVectorTraining),
     offsetof(VkPhysicalDeviceCooperativeVectorFeaturesNV, cooperativeVector), nvVectorFeatures,
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_VECTOR_PROPERTIES_NV, nvVectorProperties,
     kVectorNeeds},
};
static_assert(std::size(kRows) == rewrite::kExtensionCount);

}  // namespace

std::span<const ExtensionRow> extensionRows() { return kRows; }

const ExtensionRow& extensionRow(Extension extension) {
    return kRows[static_cast<size_t>(extension)];
}

}  // namespace coopvk::layer
