// SPDX-License-Identifier: Apache-2.0
#include "device/features.hpp"

#include "chain/vulkan_newer.hpp"

namespace coopvk::layer {
namespace {

using Features2 = VkPhysicalDeviceFeatures2;
using Features11 = VkPhysicalDeviceVulkan11Features;
using Features12 = VkPhysicalDeviceVulkan12Features;
using Features13 = VkPhysicalDeviceVulkan13Features;
using Features14 = VkPhysicalDeviceVulkan14Features;

constexpr auto k2 = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
constexpr auto k11 = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES;
constexpr auto k12 = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
constexpr auto k13 = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES;
constexpr auto k14 = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_4_FEATURES;

#define COOPVK_PLACE(Type, type, member) \
    {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_##type, sizeof(Type), offsetof(Type, member)}

#define COOPVK_CORE_FEATURE(Id, member)                                \
    {                                                                  \
        Feature::Id,                                                   \
        #member,                                                       \
        {k2, sizeof(Features2), offsetof(Features2, features.member)}, \
        {},                                                            \
        VK_API_VERSION_1_0,                                            \
        nullptr}
#define COOPVK_FEATURE(Id, member, Type, type, Aggregate, aggregate, version, extension) \
    {Feature::Id,                                                                        \
     #member,                                                                            \
     COOPVK_PLACE(Type, type, member),                                                   \
     {aggregate, sizeof(Aggregate), offsetof(Aggregate, member)},                        \
     version,                                                                            \
     extension}

// In no Vulkan version.
#define COOPVK_EXTENSION_FEATURE(Id, member, Type, type, extension) \
    {Feature::Id, #member, COOPVK_PLACE(Type, type, member), {}, ~0u, extension}

constexpr FeatureRow kFeatureRows[] = {
    COOPVK_CORE_FEATURE(kRobustBufferAccess, robustBufferAccess),
    COOPVK_CORE_FEATURE(kShaderFloat64, shaderFloat64),
    COOPVK_CORE_FEATURE(kShaderInt64, shaderInt64),
    COOPVK_CORE_FEATURE(kShaderInt16, shaderInt16),
    COOPVK_FEATURE(kStorageBuffer16BitAccess, storageBuffer16BitAccess,
                   VkPhysicalDevice16BitStorageFeatures, 16BIT_STORAGE_FEATURES, Features11, k11,
                   VK_API_VERSION_1_1, VK_KHR_16BIT_STORAGE_EXTENSION_NAME),
    COOPVK_FEATURE(kStorageBuffer8BitAccess, storageBuffer8BitAccess,
                   VkPhysicalDevice8BitStorageFeatures, 8BIT_STORAGE_FEATURES, Features12, k12,
                   VK_API_VERSION_1_2, VK_KHR_8BIT_STORAGE_EXTENSION_NAME),
    COOPVK_FEATURE(kUniformAndStorageBuffer16BitAccess, uniformAndStorageBuffer16BitAccess,
                   VkPhysicalDevice16BitStorageFeatures, 16BIT_STORAGE_FEATURES, Features11, k11,
                   VK_API_VERSION_1_1, VK_KHR_16BIT_STORAGE_EXTENSION_NAME),
    COOPVK_FEATURE(kUniformAndStorageBuffer8BitAccess, uniformAndStorageBuffer8BitAccess,
                   VkPhysicalDevice8BitStorageFeatures, 8BIT_STORAGE_FEATURES, Features12, k12,
                   VK_API_VERSION_1_2, VK_KHR_8BIT_STORAGE_EXTENSION_NAME),
    COOPVK_FEATURE(kStoragePushConstant16, storagePushConstant16,
                   VkPhysicalDevice16BitStorageFeatures, 16BIT_STORAGE_FEATURES, Features11, k11,
                   VK_API_VERSION_1_1, VK_KHR_16BIT_STORAGE_EXTENSION_NAME),
    COOPVK_FEATURE(kStoragePushConstant8, storagePushConstant8, VkPhysicalDevice8BitStorageFeatures,
                   8BIT_STORAGE_FEATURES, Features12, k12, VK_API_VERSION_1_2,
                   VK_KHR_8BIT_STORAGE_EXTENSION_NAME),
    COOPVK_FEATURE(kScalarBlockLayout, scalarBlockLayout, VkPhysicalDeviceScalarBlockLayoutFeatures,
                   SCALAR_BLOCK_LAYOUT_FEATURES, Features12, k12, VK_API_VERSION_1_2,
                   VK_EXT_SCALAR_BLOCK_LAYOUT_EXTENSION_NAME),
    COOPVK_FEATURE(kShaderFloat16, shaderFloat16, VkPhysicalDeviceShaderFloat16Int8Features,
                   SHADER_FLOAT16_INT8_FEATURES, Features12, k12, VK_API_VERSION_1_2,
                   VK_KHR_SHADER_FLOAT16_INT8_EXTENSION_NAME),
    COOPVK_FEATURE(kShaderInt8, shaderInt8, VkPhysicalDeviceShaderFloat16Int8Features,
                   SHADER_FLOAT16_INT8_FEATURES, Features12, k12, VK_API_VERSION_1_2,
                   VK_KHR_SHADER_FLOAT16_INT8_EXTENSION_NAME),
    COOPVK_FEATURE(kVulkanMemoryModel, vulkanMemoryModel, VkPhysicalDeviceVulkanMemoryModelFeatures,
                   VULKAN_MEMORY_MODEL_FEATURES, Features12, k12, VK_API_VERSION_1_2,
                   VK_KHR_VULKAN_MEMORY_MODEL_EXTENSION_NAME),
    COOPVK_FEATURE(kVulkanMemoryModelDeviceScope, vulkanMemoryModelDeviceScope,
                   VkPhysicalDeviceVulkanMemoryModelFeatures, VULKAN_MEMORY_MODEL_FEATURES,
                   Features12, k12, VK_API_VERSION_1_2, VK_KHR_VULKAN_MEMORY_MODEL_EXTENSION_NAME),
    COOPVK_FEATURE(kShaderSubgroupExtendedTypes, shaderSubgroupExtendedTypes,
                   VkPhysicalDeviceShaderSubgroupExtendedTypesFeatures,
                   SHADER_SUBGROUP_EXTENDED_TYPES_FEATURES, Features12, k12, VK_API_VERSION_1_2,
                   VK_KHR_SHADER_SUBGROUP_EXTENDED_TYPES_EXTENSION_NAME),
    COOPVK_FEATURE(kSubgroupSizeControl, subgroupSizeControl,
                   VkPhysicalDeviceSubgroupSizeControlFeatures, SUBGROUP_SIZE_CONTROL_FEATURES,
                   Features13, k13, VK_API_VERSION_1_3,
                   VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME),
    COOPVK_FEATURE(kComputeFullSubgroups, computeFullSubgroups,
                   VkPhysicalDeviceSubgroupSizeControlFeatures, SUBGROUP_SIZE_CONTROL_FEATURES,
                   Features13, k13, VK_API_VERSION_1_3,
                   VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME),
    COOPVK_FEATURE(kShaderIntegerDotProduct, shaderIntegerDotProduct,
                   VkPhysicalDeviceShaderIntegerDotProductFeatures,
                   SHADER_INTEGER_DOT_PRODUCT_FEATURES, Features13, k13, VK_API_VERSION_1_3,
                   VK_KHR_SHADER_INTEGER_DOT_PRODUCT_EXTENSION_NAME),
    {Feature::kBufferDeviceAddress, "bufferDeviceAddress",
     COOPVK_PLACE(VkPhysicalDeviceBufferDeviceAddressFeatures, BUFFER_DEVICE_ADDRESS_FEATURES,
                  bufferDeviceAddress),
     COOPVK_PLACE(Features12, VULKAN_1_2_FEATURES, bufferDeviceAddress), VK_API_VERSION_1_2,
     VK_KHR_BUFFER_DEVICE_ADDRESS_EXTENSION_NAME,
     COOPVK_PLACE(VkPhysicalDeviceBufferDeviceAddressFeaturesEXT,
                  BUFFER_DEVICE_ADDRESS_FEATURES_EXT, bufferDeviceAddress),
     VK_EXT_BUFFER_DEVICE_ADDRESS_EXTENSION_NAME},
    COOPVK_EXTENSION_FEATURE(kShaderBufferFloat32AtomicAdd, shaderBufferFloat32AtomicAdd,
                             VkPhysicalDeviceShaderAtomicFloatFeaturesEXT,
                             SHADER_ATOMIC_FLOAT_FEATURES_EXT,
                             VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME),
    COOPVK_EXTENSION_FEATURE(kShaderSharedFloat32AtomicAdd, shaderSharedFloat32AtomicAdd,
                             VkPhysicalDeviceShaderAtomicFloatFeaturesEXT,
                             SHADER_ATOMIC_FLOAT_FEATURES_EXT,
                             VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME),
    COOPVK_EXTENSION_FEATURE(kShaderSharedFloat32Atomics, shaderSharedFloat32Atomics,
                             VkPhysicalDeviceShaderAtomicFloatFeaturesEXT,
                             SHADER_ATOMIC_FLOAT_FEATURES_EXT,
                             VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME),
    COOPVK_EXTENSION_FEATURE(kSharedScalarLayout, workgroupMemoryExplicitLayoutScalarBlockLayout,
                             VkPhysicalDeviceWorkgroupMemoryExplicitLayoutFeaturesKHR,
                             WORKGROUP_MEMORY_EXPLICIT_LAYOUT_FEATURES_KHR,
                             VK_KHR_WORKGROUP_MEMORY_EXPLICIT_LAYOUT_EXTENSION_NAME),
    COOPVK_EXTENSION_FEATURE(kSharedLayout8BitAccess, workgroupMemoryExplicitLayout8BitAccess,
                             VkPhysicalDeviceWorkgroupMemoryExplicitLayoutFeaturesKHR,
                             WORKGROUP_MEMORY_EXPLICIT_LAYOUT_FEATURES_KHR,
                             VK_KHR_WORKGROUP_MEMORY_EXPLICIT_LAYOUT_EXTENSION_NAME),
    COOPVK_EXTENSION_FEATURE(kSharedLayout16BitAccess, workgroupMemoryExplicitLayout16BitAccess,
                             VkPhysicalDeviceWorkgroupMemoryExplicitLayoutFeaturesKHR,
                             WORKGROUP_MEMORY_EXPLICIT_LAYOUT_FEATURES_KHR,
                             VK_KHR_WORKGROUP_MEMORY_EXPLICIT_LAYOUT_EXTENSION_NAME),
    COOPVK_EXTENSION_FEATURE(kMixedFloatDotProduct, shaderMixedFloatDotProductFloat16AccFloat32,
                             VkPhysicalDeviceShaderMixedFloatDotProductFeaturesVALVE,
                             SHADER_MIXED_FLOAT_DOT_PRODUCT_FEATURES_VALVE,
                             VK_VALVE_SHADER_MIXED_FLOAT_DOT_PRODUCT_EXTENSION_NAME),
    COOPVK_FEATURE(kPipelineRobustness, pipelineRobustness,
                   VkPhysicalDevicePipelineRobustnessFeatures, PIPELINE_ROBUSTNESS_FEATURES,
                   Features14, k14, VK_API_VERSION_1_4, VK_EXT_PIPELINE_ROBUSTNESS_EXTENSION_NAME),
    COOPVK_EXTENSION_FEATURE(
        kNativeCooperativeMatrix, cooperativeMatrix, VkPhysicalDeviceCooperativeMatrixFeaturesKHR,
        COOPERATIVE_MATRIX_FEATURES_KHR, VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME),
    COOPVK_EXTENSION_FEATURE(
        kShaderCoreBuiltins, shaderCoreBuiltins, VkPhysicalDeviceShaderCoreBuiltinsFeaturesARM,
        SHADER_CORE_BUILTINS_FEATURES_ARM, VK_ARM_SHADER_CORE_BUILTINS_EXTENSION_NAME),
    COOPVK_EXTENSION_FEATURE(kSubgroupUniformControlFlow, shaderSubgroupUniformControlFlow,
                             VkPhysicalDeviceShaderSubgroupUniformControlFlowFeaturesKHR,
                             SHADER_SUBGROUP_UNIFORM_CONTROL_FLOW_FEATURES_KHR,
                             VK_KHR_SHADER_SUBGROUP_UNIFORM_CONTROL_FLOW_EXTENSION_NAME),
};
static_assert(std::size(kFeatureRows) == static_cast<size_t>(Feature::kCount));

}  // namespace

std::span<const FeatureRow> featureTable() { return kFeatureRows; }

}  // namespace coopvk::layer
