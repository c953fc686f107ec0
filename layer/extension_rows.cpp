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
    Feature::kMixedFloatDotProduct,
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
    {.extension = Extension::kKhrCooperativeMatrix,
     .featureType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR,
     .featureSize = sizeof(VkPhysicalDeviceCooperativeMatrixFeaturesKHR),
     .features = COOPVK_FEATURE_BITS(VkPhysicalDeviceCooperativeMatrixFeaturesKHR,
                                     cooperativeMatrix, cooperativeMatrixRobustBufferAccess),
     .mainFeatureOffset = offsetof(VkPhysicalDeviceCooperativeMatrixFeaturesKHR, cooperativeMatrix),
     .fillFeatures = matrixFeatures<VkPhysicalDeviceCooperativeMatrixFeaturesKHR>,
     .propertiesType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_PROPERTIES_KHR,
     .fillProperties = matrixProperties<VkPhysicalDeviceCooperativeMatrixPropertiesKHR>,
     .needs = kMatrixNeeds,
     .dependents = khrMatrixDependents},
    {.extension = Extension::kNvCooperativeMatrix,
     .featureType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_NV,
     .featureSize = sizeof(VkPhysicalDeviceCooperativeMatrixFeaturesNV),
     .features = COOPVK_FEATURE_BITS(VkPhysicalDeviceCooperativeMatrixFeaturesNV, cooperativeMatrix,
                                     cooperativeMatrixRobustBufferAccess),
     .mainFeatureOffset = offsetof(VkPhysicalDeviceCooperativeMatrixFeaturesNV, cooperativeMatrix),
     .fillFeatures = matrixFeatures<VkPhysicalDeviceCooperativeMatrixFeaturesNV>,
     .propertiesType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_PROPERTIES_NV,
     .fillProperties = matrixProperties<VkPhysicalDeviceCooperativeMatrixPropertiesNV>,
     .needs = kMatrixNeeds},
    {.extension = Extension::kQcomCooperativeMatrixConversion,
     .featureType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_CONVERSION_FEATURES_QCOM,
     .featureSize = sizeof(VkPhysicalDeviceCooperativeMatrixConversionFeaturesQCOM),
     .features = COOPVK_FEATURE_BITS(VkPhysicalDeviceCooperativeMatrixConversionFeaturesQCOM,
                                     cooperativeMatrixConversion, cooperativeMatrixConversion),
     .mainFeatureOffset = offsetof(VkPhysicalDeviceCooperativeMatrixConversionFeaturesQCOM,
                                   cooperativeMatrixConversion),
     .fillFeatures = qcomConversionFeatures,
     .needs = kMatrixNeeds},
    {.extension = Extension::kNvCooperativeVector,
     .featureType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_VECTOR_FEATURES_NV,
     .featureSize = sizeof(VkPhysicalDeviceCooperativeVectorFeaturesNV),
     .features = COOPVK_FEATURE_BITS(VkPhysicalDeviceCooperativeVectorFeaturesNV, cooperativeVector,
                                     cooperativeVectorTraining),
     .mainFeatureOffset = offsetof(VkPhysicalDeviceCooperativeVectorFeaturesNV, cooperativeVector),
     .fillFeatures = nvVectorFeatures,
     .propertiesType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_VECTOR_PROPERTIES_NV,
     .fillProperties = nvVectorProperties,
     .needs = kVectorNeeds},
    {.extension = Extension::kExtShaderReplicatedComposites,
     .featureType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_REPLICATED_COMPOSITES_FEATURES_EXT,
     .featureSize = sizeof(VkPhysicalDeviceShaderReplicatedCompositesFeaturesEXT),
     .features = COOPVK_FEATURE_BITS(VkPhysicalDeviceShaderReplicatedCompositesFeaturesEXT,
                                     shaderReplicatedComposites, shaderReplicatedComposites),
     .mainFeatureOffset = offsetof(VkPhysicalDeviceShaderReplicatedCompositesFeaturesEXT,
                                   shaderReplicatedComposites),
     .fillFeatures = replicatedCompositesFeatures},
    {.extension = Extension::kExtShaderAtomicFloat,
     .featureType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_FEATURES_EXT,
     .featureSize = sizeof(VkPhysicalDeviceShaderAtomicFloatFeaturesEXT),
     .features = kAtomicFloatBits,
     .mainFeatureOffset =
         offsetof(VkPhysicalDeviceShaderAtomicFloatFeaturesEXT, shaderBufferFloat32AtomicAdd),
     .fillFeatures = atomicFloatFeatures,
     .dependents = atomicFloatDependents},
    {.extension = Extension::kIntelInt4,
     .featureType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INT4_FEATURES_COOPVK,
     .featureSize = sizeof(VkPhysicalDeviceShaderInt4FeaturesCOOPVK),
     .features = COOPVK_FEATURE_BITS(VkPhysicalDeviceShaderInt4FeaturesCOOPVK, shaderInt4,
                                     shaderInt4CooperativeMatrix),
     .mainFeatureOffset = offsetof(VkPhysicalDeviceShaderInt4FeaturesCOOPVK, shaderInt4),
     .fillFeatures = int4Features,
     .needs = kInt4Needs,
     .always = true},
    {.extension = Extension::kIntel2dBlockIo,
     .featureType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_2D_BLOCK_IO_FEATURES_COOPVK,
     .featureSize = sizeof(VkPhysicalDeviceShader2DBlockIOFeaturesCOOPVK),
     .features = COOPVK_FEATURE_BITS(VkPhysicalDeviceShader2DBlockIOFeaturesCOOPVK, shader2DBlockIO,
                                     shader2DBlockTranspose),
     .mainFeatureOffset = offsetof(VkPhysicalDeviceShader2DBlockIOFeaturesCOOPVK, shader2DBlockIO),
     .fillFeatures = blockIoFeatures,
     .propertiesType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_2D_BLOCK_IO_PROPERTIES_COOPVK,
     .fillProperties = blockIoProperties,
     .needs = kBlockIoNeeds,
     .always = true},
};
static_assert(std::size(kRows) == rewrite::kExtensionCount);

}  // namespace

std::span<const ExtensionRow> extensionRows() { return kRows; }

const ExtensionRow& extensionRow(Extension extension) {
    return kRows[static_cast<size_t>(extension)];
}

}  // namespace coopvk::layer
