// SPDX-License-Identifier: Apache-2.0
#include "device/extension_rows.hpp"

#include "device/grants.hpp"
#include "device/matrix2.hpp"

namespace coopvk::layer {
namespace {

using rewrite::Extension;

// Lavapipe compiles matrices in subgroups of four for longer than they save, and ggml's shaders for
// matrices expect eight invocations.
constexpr uint32_t kFewLanesOfCpu = 8;

const char* matricesInAuto(const DeviceFacts& facts) {
    const bool few = facts.traits.isCpu && facts.traits.subgroupSize < kFewLanesOfCpu;
    return few ? "on a CPU with subgroups of fewer than 8, programs take longer with it" : nullptr;
}
const char* maintenance1InAuto(const DeviceFacts& facts) {
    const bool own = facts.native.contains(Extension::kKhrCooperativeMatrix);
    return own ? "shaders that use it lose the driver's own matrices" : matricesInAuto(facts);
}
const char* matrix2InAuto(const DeviceFacts&) {
    return "programs are faster with VK_KHR_cooperative_matrix";
}
const char* bfloat16InAuto(const DeviceFacts& facts) {
    return facts.traits.isCpu ? "on a CPU, programs take longer with it" : nullptr;
}
const char* float8InAuto(const DeviceFacts&) {
    return "programs take 8-bit floats for fast, and their other ways are faster";
}
const char* float16InAuto(const DeviceFacts&) { return "it is slower than f32"; }

const char* unmeasuredInAuto(const DeviceFacts&) {
    return "it was not measured whether programs are faster with it";
}

void longVectorProperties(const DeviceFacts&, uint32_t, void* node) {
    auto& properties = *static_cast<VkPhysicalDeviceShaderLongVectorPropertiesEXT*>(node);
    properties.maxVectorComponents = 1024;
}

template <typename Properties>
void matrixProperties(const DeviceFacts&, uint32_t, void* node) {
    auto& properties = *static_cast<Properties*>(node);
    properties.cooperativeMatrixSupportedStages = VK_SHADER_STAGE_COMPUTE_BIT;
}

void nvVectorProperties(const DeviceFacts& facts, uint32_t, void* node) {
    auto& properties = *static_cast<VkPhysicalDeviceCooperativeVectorPropertiesNV*>(node);
    properties.cooperativeVectorSupportedStages = facts.stages;
    properties.cooperativeVectorTrainingFloat16Accumulation = VK_TRUE;
    properties.cooperativeVectorTrainingFloat32Accumulation = VK_TRUE;
    properties.maxCooperativeVectorComponents = 1024;
}

void blockIoProperties(const DeviceFacts&, uint32_t, void* node) {
    auto& properties = *static_cast<VkPhysicalDeviceShader2DBlockIOPropertiesCOOPVK*>(node);
    properties.supportedStages = VK_SHADER_STAGE_COMPUTE_BIT;
    properties.maxElementsPerInvocation = rewrite::kMaxBlockElements;
}

const char* nvidiasInAuto(const DeviceFacts&) {
    return "programs that find it take the device for NVIDIA's";
}

void smProperties(const DeviceFacts& facts, uint32_t, void* node) {
    auto& properties = *static_cast<VkPhysicalDeviceShaderSMBuiltinsPropertiesNV*>(node);
    properties.shaderSMCount = facts.traits.shaderCores;
    properties.shaderWarpsPerSM = facts.traits.warpsPerShaderCore;
}

// Of no GPU: the feature is false.
void cudaProperties(const DeviceFacts&, uint32_t, void* node) {
    auto& properties = *static_cast<VkPhysicalDeviceCudaKernelLaunchPropertiesNV*>(node);
    properties.computeCapabilityMajor = properties.computeCapabilityMinor = 0;
}

constexpr ExtensionRow kExtensionRows[] = {
    {.extension = Extension::kKhrCooperativeMatrix,
     .featureType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR,
     .featureSize = sizeof(VkPhysicalDeviceCooperativeMatrixFeaturesKHR),
     .features = COOPVK_FEATURE_BITS(VkPhysicalDeviceCooperativeMatrixFeaturesKHR,
                                     cooperativeMatrix, cooperativeMatrixRobustBufferAccess),
     .mainFeatureOffset = offsetof(VkPhysicalDeviceCooperativeMatrixFeaturesKHR, cooperativeMatrix),
     .grants = kMatrixGrants<VkPhysicalDeviceCooperativeMatrixFeaturesKHR>,
     .propertiesType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_PROPERTIES_KHR,
     .fillProperties = matrixProperties<VkPhysicalDeviceCooperativeMatrixPropertiesKHR>,
     .needs = kMatrixNeeds,
     .whyNotInAuto = matricesInAuto},
    {.extension = Extension::kNvCooperativeMatrix,
     .featureType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_NV,
     .featureSize = sizeof(VkPhysicalDeviceCooperativeMatrixFeaturesNV),
     .features = COOPVK_FEATURE_BITS(VkPhysicalDeviceCooperativeMatrixFeaturesNV, cooperativeMatrix,
                                     cooperativeMatrixRobustBufferAccess),
     .mainFeatureOffset = offsetof(VkPhysicalDeviceCooperativeMatrixFeaturesNV, cooperativeMatrix),
     .grants = kMatrixGrants<VkPhysicalDeviceCooperativeMatrixFeaturesNV>,
     .propertiesType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_PROPERTIES_NV,
     .fillProperties = matrixProperties<VkPhysicalDeviceCooperativeMatrixPropertiesNV>,
     .needs = kMatrixNeeds,
     .whyNotInAuto = matricesInAuto},
    {.extension = Extension::kQcomCooperativeMatrixConversion,
     .featureType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_CONVERSION_FEATURES_QCOM,
     .featureSize = sizeof(VkPhysicalDeviceCooperativeMatrixConversionFeaturesQCOM),
     .features = COOPVK_FEATURE_BITS(VkPhysicalDeviceCooperativeMatrixConversionFeaturesQCOM,
                                     cooperativeMatrixConversion, cooperativeMatrixConversion),
     .mainFeatureOffset = offsetof(VkPhysicalDeviceCooperativeMatrixConversionFeaturesQCOM,
                                   cooperativeMatrixConversion),
     .grants = kConversionGrants,
     .needs = kMatrixNeeds,
     .whyNotInAuto = matricesInAuto},
    {.extension = Extension::kNvCooperativeMatrix2,
     .featureType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_2_FEATURES_NV,
     .featureSize = sizeof(VkPhysicalDeviceCooperativeMatrix2FeaturesNV),
     .features = COOPVK_FEATURE_BITS(VkPhysicalDeviceCooperativeMatrix2FeaturesNV,
                                     cooperativeMatrixWorkgroupScope, cooperativeMatrixBlockLoads),
     .mainFeatureOffset =
         offsetof(VkPhysicalDeviceCooperativeMatrix2FeaturesNV, cooperativeMatrixWorkgroupScope),
     .grants = kMatrix2Grants,
     .propertiesType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_2_PROPERTIES_NV,
     .fillProperties = fillMatrix2Properties,
     .needs = kMatrix2Needs,
     .whyNotInAuto = matrix2InAuto},
    {.extension = Extension::kExtCooperativeMatrixMaintenance1,
     .featureType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_MAINTENANCE_1_FEATURES_EXT,
     .featureSize = sizeof(VkPhysicalDeviceCooperativeMatrixMaintenance1FeaturesEXT),
     .features = COOPVK_FEATURE_BITS(VkPhysicalDeviceCooperativeMatrixMaintenance1FeaturesEXT,
                                     cooperativeMatrixProperties2, cooperativeMatrixGetCoordinate),
     .mainFeatureOffset = offsetof(VkPhysicalDeviceCooperativeMatrixMaintenance1FeaturesEXT,
                                   cooperativeMatrixProperties2),
     .grants = kMatrixMaintenance1Grants,
     .needs = kMatrixNeeds,
     .whyNotInAuto = maintenance1InAuto},
    {.extension = Extension::kNvCooperativeMatrixDecodeVector,
     .featureType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_MATRIX_DECODE_VECTOR_FEATURES_NV,
     .featureSize = sizeof(VkPhysicalDeviceCooperativeMatrixDecodeVectorFeaturesNV),
     .features = COOPVK_FEATURE_BITS(VkPhysicalDeviceCooperativeMatrixDecodeVectorFeaturesNV,
                                     cooperativeMatrixDecodeVector, cooperativeMatrixDecodeVector),
     .mainFeatureOffset = offsetof(VkPhysicalDeviceCooperativeMatrixDecodeVectorFeaturesNV,
                                   cooperativeMatrixDecodeVector),
     .grants = kDecodeVectorGrants,
     .needs = kMatrix2Needs,
     .whyNotInAuto = matrix2InAuto},
    {.extension = Extension::kNvCooperativeVector,
     .featureType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COOPERATIVE_VECTOR_FEATURES_NV,
     .featureSize = sizeof(VkPhysicalDeviceCooperativeVectorFeaturesNV),
     .features = COOPVK_FEATURE_BITS(VkPhysicalDeviceCooperativeVectorFeaturesNV, cooperativeVector,
                                     cooperativeVectorTraining),
     .mainFeatureOffset = offsetof(VkPhysicalDeviceCooperativeVectorFeaturesNV, cooperativeVector),
     .grants = kVectorGrants,
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
     .grants = kReplicatedGrants},
    {.extension = Extension::kExtShaderAtomicFloat,
     .featureType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_FEATURES_EXT,
     .featureSize = sizeof(VkPhysicalDeviceShaderAtomicFloatFeaturesEXT),
     .features = COOPVK_FEATURE_BITS(VkPhysicalDeviceShaderAtomicFloatFeaturesEXT,
                                     shaderBufferFloat32Atomics, sparseImageFloat32AtomicAdd),
     .mainFeatureOffset =
         offsetof(VkPhysicalDeviceShaderAtomicFloatFeaturesEXT, shaderBufferFloat32AtomicAdd),
     .grants = kAtomicFloatGrants},
    {.extension = Extension::kIntelInt4,
     .featureType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_INT4_FEATURES_COOPVK,
     .featureSize = sizeof(VkPhysicalDeviceShaderInt4FeaturesCOOPVK),
     .features = COOPVK_FEATURE_BITS(VkPhysicalDeviceShaderInt4FeaturesCOOPVK, shaderInt4,
                                     shaderInt4CooperativeMatrix),
     .mainFeatureOffset = offsetof(VkPhysicalDeviceShaderInt4FeaturesCOOPVK, shaderInt4),
     .grants = kInt4Grants,
     .needs = kInt4Needs},
    {.extension = Extension::kIntel2dBlockIo,
     .featureType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_2D_BLOCK_IO_FEATURES_COOPVK,
     .featureSize = sizeof(VkPhysicalDeviceShader2DBlockIOFeaturesCOOPVK),
     .features = COOPVK_FEATURE_BITS(VkPhysicalDeviceShader2DBlockIOFeaturesCOOPVK, shader2DBlockIO,
                                     shader2DBlockTranspose),
     .mainFeatureOffset = offsetof(VkPhysicalDeviceShader2DBlockIOFeaturesCOOPVK, shader2DBlockIO),
     .grants = kBlockIoGrants,
     .propertiesType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_2D_BLOCK_IO_PROPERTIES_COOPVK,
     .fillProperties = blockIoProperties,
     .needs = kBlockIoNeeds},
    {.extension = Extension::kKhrShaderBfloat16,
     .featureType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_BFLOAT16_FEATURES_KHR,
     .featureSize = sizeof(VkPhysicalDeviceShaderBfloat16FeaturesKHR),
     .features = COOPVK_FEATURE_BITS(VkPhysicalDeviceShaderBfloat16FeaturesKHR, shaderBFloat16Type,
                                     shaderBFloat16CooperativeMatrix),
     .mainFeatureOffset = offsetof(VkPhysicalDeviceShaderBfloat16FeaturesKHR, shaderBFloat16Type),
     .grants = kBfloat16Grants,
     .needs = kBfloat16Needs,
     .whyNotInAuto = bfloat16InAuto},
    {.extension = Extension::kExtShaderFloat8,
     .featureType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT8_FEATURES_EXT,
     .featureSize = sizeof(VkPhysicalDeviceShaderFloat8FeaturesEXT),
     .features = COOPVK_FEATURE_BITS(VkPhysicalDeviceShaderFloat8FeaturesEXT, shaderFloat8,
                                     shaderFloat8CooperativeMatrix),
     .mainFeatureOffset = offsetof(VkPhysicalDeviceShaderFloat8FeaturesEXT, shaderFloat8),
     .grants = kFloat8Grants,
     .needs = kFloat8Needs,
     .whyNotInAuto = float8InAuto},
    {.extension = Extension::kKhrShaderFloat16Int8,
     .featureType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT16_INT8_FEATURES,
     .featureSize = sizeof(VkPhysicalDeviceShaderFloat16Int8Features),
     .features =
         COOPVK_FEATURE_BITS(VkPhysicalDeviceShaderFloat16Int8Features, shaderFloat16, shaderInt8),
     .mainFeatureOffset = offsetof(VkPhysicalDeviceShaderFloat16Int8Features, shaderFloat16),
     .aggregateType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
     .aggregateFeatures =
         COOPVK_FEATURE_BITS(VkPhysicalDeviceVulkan12Features, shaderFloat16, shaderInt8),
     .promotedIn = VK_API_VERSION_1_2,
     .grants = kFloat16Grants,
     .needs = kFloat16Needs,
     .whyNotInAuto = float16InAuto},
    {.extension = Extension::kExtShaderLongVector,
     .featureType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_LONG_VECTOR_FEATURES_EXT,
     .featureSize = sizeof(VkPhysicalDeviceShaderLongVectorFeaturesEXT),
     .features =
         COOPVK_FEATURE_BITS(VkPhysicalDeviceShaderLongVectorFeaturesEXT, longVector, longVector),
     .mainFeatureOffset = offsetof(VkPhysicalDeviceShaderLongVectorFeaturesEXT, longVector),
     .grants = kLongVectorGrants,
     .propertiesType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_LONG_VECTOR_PROPERTIES_EXT,
     .fillProperties = longVectorProperties,
     .needs = kLongVectorNeeds},
    {.extension = Extension::kExtShaderOcpMicroscalingTypes,
     .featureType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_OCP_MICROSCALING_TYPES_FEATURES_EXT,
     .featureSize = sizeof(Microscaling),
     .features = COOPVK_FEATURE_BITS(Microscaling, shaderFloat4, shaderMXInt8),
     .mainFeatureOffset = offsetof(Microscaling, shaderFloat4),
     .grants = kMicroscalingGrants,
     .needs = kByteNeeds,
     .whyNotInAuto = unmeasuredInAuto},
    {.extension = Extension::kValveShaderMixedFloatDotProduct,
     .featureType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_MIXED_FLOAT_DOT_PRODUCT_FEATURES_VALVE,
     .featureSize = sizeof(MixedDots),
     .features = COOPVK_FEATURE_BITS(MixedDots, shaderMixedFloatDotProductFloat16AccFloat32,
                                     shaderMixedFloatDotProductFloat8AccFloat32),
     .mainFeatureOffset = offsetof(MixedDots, shaderMixedFloatDotProductFloat16AccFloat32),
     .grants = kMixedDotGrants,
     .needs = kMixedDotNeeds,
     .whyNotInAuto = unmeasuredInAuto},
    {.extension = Extension::kNvShaderSmBuiltins,
     .featureType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SM_BUILTINS_FEATURES_NV,
     .featureSize = sizeof(VkPhysicalDeviceShaderSMBuiltinsFeaturesNV),
     .features = COOPVK_FEATURE_BITS(VkPhysicalDeviceShaderSMBuiltinsFeaturesNV, shaderSMBuiltins,
                                     shaderSMBuiltins),
     .mainFeatureOffset = offsetof(VkPhysicalDeviceShaderSMBuiltinsFeaturesNV, shaderSMBuiltins),
     .grants = kSmBuiltinGrants,
     .propertiesType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_SM_BUILTINS_PROPERTIES_NV,
     .fillProperties = smProperties,
     .needs = kSmBuiltinNeeds,
     .whyNotInAuto = nvidiasInAuto},
    {.extension = Extension::kNvCudaKernelLaunch,
     .featureType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_CUDA_KERNEL_LAUNCH_FEATURES_NV,
     .featureSize = sizeof(VkPhysicalDeviceCudaKernelLaunchFeaturesNV),
     .features = COOPVK_FEATURE_BITS(VkPhysicalDeviceCudaKernelLaunchFeaturesNV,
                                     cudaKernelLaunchFeatures, cudaKernelLaunchFeatures),
     .mainFeatureOffset =
         offsetof(VkPhysicalDeviceCudaKernelLaunchFeaturesNV, cudaKernelLaunchFeatures),
     .propertiesType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_CUDA_KERNEL_LAUNCH_PROPERTIES_NV,
     .fillProperties = cudaProperties,
     .whyNotInAuto = nvidiasInAuto},
};
static_assert(std::size(kExtensionRows) == rewrite::kExtensionCount);

}  // namespace

std::span<const ExtensionRow> extensionRows() { return kExtensionRows; }

const ExtensionRow& extensionRow(Extension extension) {
    return kExtensionRows[static_cast<size_t>(extension)];
}

}  // namespace coopvk::layer
