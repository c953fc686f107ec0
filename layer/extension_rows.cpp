// SPDX-License-Identifier: Apache-2.0
#include "extension_rows.hpp"

#include <algorithm>

#include "coopvk/vulkan_coopvk.h"
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
    Feature::kNativeCooperativeMatrix,
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
    Feature::kShaderSharedFloat32Atomics,  // f32 in Workgroup memory is exchanged
};

constexpr VkShaderStageFlags kAllStages =
    VK_SHADER_STAGE_ALL_GRAPHICS | VK_SHADER_STAGE_COMPUTE_BIT | VK_SHADER_STAGE_TASK_BIT_EXT |
    VK_SHADER_STAGE_MESH_BIT_EXT | VK_SHADER_STAGE_RAYGEN_BIT_KHR |
    VK_SHADER_STAGE_ANY_HIT_BIT_KHR | VK_SHADER_STAGE_CLOSEST_HIT_BIT_KHR |
    VK_SHADER_STAGE_MISS_BIT_KHR | VK_SHADER_STAGE_INTERSECTION_BIT_KHR |
    VK_SHADER_STAGE_CALLABLE_BIT_KHR;

constexpr Feature kInt4Needs[] = {
    Feature::kShaderInt16,
    Feature::kShaderInt8,
    Feature::kStorageBuffer16BitAccess,
    Feature::kStorageBuffer8BitAccess,
    Feature::kUniformAndStorageBuffer16BitAccess,
    Feature::kUniformAndStorageBuffer8BitAccess,
    Feature::kStoragePushConstant16,
    Feature::kStoragePushConstant8,
    Feature::kScalarBlockLayout,
    Feature::kVulkanMemoryModel,
    Feature::kVulkanMemoryModelDeviceScope,
    Feature::kSubgroupSizeControl,
    Feature::kComputeFullSubgroups,
    Feature::kShaderIntegerDotProduct,
};

constexpr Feature kBlockIoNeeds[] = {
    Feature::kShaderInt64,
    Feature::kShaderInt16,
    Feature::kStorageBuffer16BitAccess,
    Feature::kStorageBuffer8BitAccess,
    Feature::kShaderInt8,
    Feature::kSubgroupSizeControl,
    Feature::kComputeFullSubgroups,
};

// KHR's and NV's alike.
template <typename Features>
void matrixFeatures(const DeviceFacts& facts, void* node) {
    auto& features = *static_cast<Features*>(node);
    features.cooperativeMatrix = VK_TRUE;
    // A matrix access becomes accesses to its elements, which are as robust as any others.
    features.cooperativeMatrixRobustBufferAccess = facts.has(Feature::kRobustBufferAccess);
}

template <typename Properties>
void matrixProperties(const DeviceFacts&, void* node) {
    auto& properties = *static_cast<Properties*>(node);
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

void replicatedCompositesFeatures(const DeviceFacts&, void* node) {
    auto& features = *static_cast<VkPhysicalDeviceShaderReplicatedCompositesFeaturesEXT*>(node);
    features.shaderReplicatedComposites = VK_TRUE;
}

constexpr FeatureBits kAtomicFloatBits =
    COOPVK_FEATURE_BITS(VkPhysicalDeviceShaderAtomicFloatFeaturesEXT, shaderBufferFloat32Atomics,
                        sparseImageFloat32AtomicAdd);

// Of the driver's own, only what is emulated, too.
void atomicFloatFeatures(const DeviceFacts&, void* node) {
    std::ranges::fill(bitsOf(node, kAtomicFloatBits), VK_FALSE);
    auto& features = *static_cast<VkPhysicalDeviceShaderAtomicFloatFeaturesEXT*>(node);
    features.shaderBufferFloat32Atomics = VK_TRUE;
    features.shaderBufferFloat32AtomicAdd = VK_TRUE;
}

void int4Features(const DeviceFacts& facts, void* node) {
    auto& features = *static_cast<VkPhysicalDeviceShaderInt4FeaturesCOOPVK*>(node);
    features.shaderInt4 = VK_TRUE;
    features.shaderInt4CooperativeMatrix = !rewrite::int4MatrixShapes(facts.traits).empty();
}

void blockIoFeatures(const DeviceFacts&, void* node) {
    auto& features = *static_cast<VkPhysicalDeviceShader2DBlockIOFeaturesCOOPVK*>(node);
    features.shader2DBlockIO = VK_TRUE;
    features.shader2DBlockTransform = VK_TRUE;
    features.shader2DBlockTranspose = VK_TRUE;
}

void blockIoProperties(const DeviceFacts&, void* node) {
    auto& properties = *static_cast<VkPhysicalDeviceShader2DBlockIOPropertiesCOOPVK*>(node);
    properties.supportedStages = VK_SHADER_STAGE_COMPUTE_BIT;
    properties.maxElementsPerInvocation = rewrite::kMaxBlockElements;
}

void qcomConversionFeatures(const DeviceFacts&, void* node) {
    auto& features = *static_cast<VkPhysicalDeviceCooperativeMatrixConversionFeaturesQCOM*>(node);
    features.cooperativeMatrixConversion = VK_TRUE;
}

constexpr ExtensionRow kRows[] = {
    {Extension::kKhrCooperativeMatrix,
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR,
     sizeof(VkPhysicalDeviceCooperativeMatrixFeaturesKHR),
     COOPVK_FEATURE_BITS(VkPhysicalDeviceCooperativeMatrixFeaturesKHR, cooperativeMatrix,
                         cooperativeMatrixRobustBufferAccess),
     offsetof(VkPhysicalDeviceCooperativeMatrixFeaturesKHR, cooperativeMatrix),
     matrixFeatures<VkPhysicalDeviceCooperativeMatrixFeaturesKHR>,
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_PROPERTIES_KHR,
     matrixProperties<VkPhysicalDeviceCooperativeMatrixPropertiesKHR>, kMatrixNeeds,
     khrMatrixDependents},
    {Extension::kNvCooperativeMatrix,
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_NV,
     sizeof(VkPhysicalDeviceCooperativeMatrixFeaturesNV),
     COOPVK_FEATURE_BITS(VkPhysicalDeviceCooperativeMatrixFeaturesNV, cooperativeMatrix,
                         cooperativeMatrixRobustBufferAccess),
     offsetof(VkPhysicalDeviceCooperativeMatrixFeaturesNV, cooperativeMatrix),
     matrixFeatures<VkPhysicalDeviceCooperativeMatrixFeaturesNV>,
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_PROPERTIES_NV,
     matrixProperties<VkPhysicalDeviceCooperativeMatrixPropertiesNV>, kMatrixNeeds},
    {Extension::kQcomCooperativeMatrixConversion,
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_CONVERSION_FEATURES_QCOM,
     sizeof(VkPhysicalDeviceCooperativeMatrixConversionFeaturesQCOM),
     COOPVK_FEATURE_BITS(VkPhysicalDeviceCooperativeMatrixConversionFeaturesQCOM,
                         cooperativeMatrixConversion, cooperativeMatrixConversion),
     offsetof(VkPhysicalDeviceCooperativeMatrixConversionFeaturesQCOM, cooperativeMatrixConversion),
     qcomConversionFeatures, VK_STRUCTURE_TYPE_MAX_ENUM, nullptr, kMatrixNeeds},
    {Extension::kNvCooperativeVector,
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_VECTOR_FEATURES_NV,
     sizeof(VkPhysicalDeviceCooperativeVectorFeaturesNV),
     COOPVK_FEATURE_BITS(VkPhysicalDeviceCooperativeVectorFeaturesNV, cooperativeVector,
                         cooperativeVectorTraining),
     offsetof(VkPhysicalDeviceCooperativeVectorFeaturesNV, cooperativeVector), nvVectorFeatures,
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_VECTOR_PROPERTIES_NV, nvVectorProperties,
     kVectorNeeds},
    {Extension::kExtShaderReplicatedComposites,
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_REPLICATED_COMPOSITES_FEATURES_EXT,
     sizeof(VkPhysicalDeviceShaderReplicatedCompositesFeaturesEXT),
     COOPVK_FEATURE_BITS(VkPhysicalDeviceShaderReplicatedCompositesFeaturesEXT,
                         shaderReplicatedComposites, shaderReplicatedComposites),
     offsetof(VkPhysicalDeviceShaderReplicatedCompositesFeaturesEXT, shaderReplicatedComposites),
     replicatedCompositesFeatures,
     VK_STRUCTURE_TYPE_MAX_ENUM,
     nullptr,
     {}},
    {Extension::kExtShaderAtomicFloat,
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_FEATURES_EXT,
     sizeof(VkPhysicalDeviceShaderAtomicFloatFeaturesEXT),
     kAtomicFloatBits,
     offsetof(VkPhysicalDeviceShaderAtomicFloatFeaturesEXT, shaderBufferFloat32AtomicAdd),
     atomicFloatFeatures,
     VK_STRUCTURE_TYPE_MAX_ENUM,
     nullptr,
     {},
     atomicFloatDependents},
    {Extension::kIntelInt4, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INT4_FEATURES_COOPVK,
     sizeof(VkPhysicalDeviceShaderInt4FeaturesCOOPVK),
     COOPVK_FEATURE_BITS(VkPhysicalDeviceShaderInt4FeaturesCOOPVK, shaderInt4,
                         shaderInt4CooperativeMatrix),
     offsetof(VkPhysicalDeviceShaderInt4FeaturesCOOPVK, shaderInt4), int4Features,
     VK_STRUCTURE_TYPE_MAX_ENUM, nullptr, kInt4Needs, nullptr, true},
    {Extension::kIntel2dBlockIo,
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_2D_BLOCK_IO_FEATURES_COOPVK,
     sizeof(VkPhysicalDeviceShader2DBlockIOFeaturesCOOPVK),
     COOPVK_FEATURE_BITS(VkPhysicalDeviceShader2DBlockIOFeaturesCOOPVK, shader2DBlockIO,
                         shader2DBlockTranspose),
     offsetof(VkPhysicalDeviceShader2DBlockIOFeaturesCOOPVK, shader2DBlockIO), blockIoFeatures,
     VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_2D_BLOCK_IO_PROPERTIES_COOPVK, blockIoProperties,
     kBlockIoNeeds, nullptr, true},
};
static_assert(std::size(kRows) == rewrite::kExtensionCount);

}  // namespace

std::span<const ExtensionRow> extensionRows() { return kRows; }

const ExtensionRow& extensionRow(Extension extension) {
    return kRows[static_cast<size_t>(extension)];
}

}  // namespace coopvk::layer
