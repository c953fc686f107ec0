// SPDX-License-Identifier: Apache-2.0
//
// The features that coopvk can grant, by extension, and what of a device they need.
#pragma once

#include "chain/vulkan_newer.hpp"
#include "coopvk/vulkan_coopvk.h"
#include "device/device_facts.hpp"
#include "device/extension_rows.hpp"
#include "device/needs.hpp"

namespace coopvk::layer {

// A matrix access becomes accesses to elements, to which the device's robustness applies.
inline bool accessesAreRobust(const DeviceFacts& facts) {
    return facts.has(Feature::kRobustBufferAccess);
}

inline bool hasInt4Matrices(const DeviceFacts& facts) {
    return !rewrite::int4MatrixShapes(facts.traits).empty();
}

inline bool carriesMatrices(const DeviceFacts& facts) {
    return rewrite::info(rewrite::Extension::kKhrCooperativeMatrix).missing(facts.traits).empty();
}

// For both KHR's and NV's extension.
template <typename Features>
inline constexpr Grant kMatrixGrants[] = {
    {COOPVK_GRANT(Features, cooperativeMatrix)},
    {COOPVK_GRANT(Features, cooperativeMatrixRobustBufferAccess), .possible = accessesAreRobust},
};
inline constexpr Grant kConversionGrants[] = {
    {COOPVK_GRANT(VkPhysicalDeviceCooperativeMatrixConversionFeaturesQCOM,
                  cooperativeMatrixConversion)},
};
inline constexpr Grant kVectorGrants[] = {
    {COOPVK_GRANT(VkPhysicalDeviceCooperativeVectorFeaturesNV, cooperativeVector)},
    {COOPVK_GRANT(VkPhysicalDeviceCooperativeVectorFeaturesNV, cooperativeVectorTraining)},
};
inline constexpr Grant kReplicatedGrants[] = {
    {COOPVK_GRANT(VkPhysicalDeviceShaderReplicatedCompositesFeaturesEXT,
                  shaderReplicatedComposites)},
};
inline constexpr Grant kAtomicFloatGrants[] = {
    {COOPVK_GRANT(VkPhysicalDeviceShaderAtomicFloatFeaturesEXT, shaderBufferFloat32Atomics),
     .besideNative = true},
    {COOPVK_GRANT(VkPhysicalDeviceShaderAtomicFloatFeaturesEXT, shaderBufferFloat32AtomicAdd),
     .besideNative = true},
};
inline constexpr Grant kInt4Grants[] = {
    {COOPVK_GRANT(VkPhysicalDeviceShaderInt4FeaturesCOOPVK, shaderInt4)},
    {COOPVK_GRANT(VkPhysicalDeviceShaderInt4FeaturesCOOPVK, shaderInt4CooperativeMatrix),
     .possible = hasInt4Matrices, .needs = kMatrixNeeds},
};
inline constexpr Grant kBlockIoGrants[] = {
    {COOPVK_GRANT(VkPhysicalDeviceShader2DBlockIOFeaturesCOOPVK, shader2DBlockIO)},
    {COOPVK_GRANT(VkPhysicalDeviceShader2DBlockIOFeaturesCOOPVK, shader2DBlockTransform)},
    {COOPVK_GRANT(VkPhysicalDeviceShader2DBlockIOFeaturesCOOPVK, shader2DBlockTranspose)},
};

inline constexpr Grant kBfloat16Grants[] = {
    {COOPVK_GRANT(VkPhysicalDeviceShaderBfloat16FeaturesKHR, shaderBFloat16Type)},
    {COOPVK_GRANT(VkPhysicalDeviceShaderBfloat16FeaturesKHR, shaderBFloat16DotProduct),
     .besideNative = true},
    {COOPVK_GRANT(VkPhysicalDeviceShaderBfloat16FeaturesKHR, shaderBFloat16CooperativeMatrix),
     .besideNative = true, .possible = carriesMatrices, .needs = kMatrixNeeds},
};
// Matrices hold 8-bit floats as f16.
inline bool carriesFloat8Matrices(const DeviceFacts& facts) {
    return carriesMatrices(facts) && facts.traits.hasFloat16();
}

inline constexpr Grant kFloat8Grants[] = {
    {COOPVK_GRANT(VkPhysicalDeviceShaderFloat8FeaturesEXT, shaderFloat8)},
    {COOPVK_GRANT(VkPhysicalDeviceShaderFloat8FeaturesEXT, shaderFloat8CooperativeMatrix),
     .besideNative = true, .possible = carriesFloat8Matrices, .needs = kMatrixNeeds},
};

inline constexpr Grant kFloat16Grants[] = {
    {COOPVK_GRANT(VkPhysicalDeviceShaderFloat16Int8Features, shaderFloat16), .besideNative = true},
};

inline constexpr Grant kLongVectorGrants[] = {
    {COOPVK_GRANT(VkPhysicalDeviceShaderLongVectorFeaturesEXT, longVector)},
};

using Microscaling = VkPhysicalDeviceShaderOCPMicroscalingTypesFeaturesEXT;
inline constexpr Grant kMicroscalingGrants[] = {
    {COOPVK_GRANT(Microscaling, shaderFloat4), .besideNative = true},
    {COOPVK_GRANT(Microscaling, shaderFloat6), .besideNative = true},
    {COOPVK_GRANT(Microscaling, shaderFloat8UnsignedE8M0), .besideNative = true},
    {COOPVK_GRANT(Microscaling, shaderMXInt8), .besideNative = true},
};

using MixedDots = VkPhysicalDeviceShaderMixedFloatDotProductFeaturesVALVE;
inline constexpr Grant kMixedDotGrants[] = {
    {COOPVK_GRANT(MixedDots, shaderMixedFloatDotProductFloat16AccFloat32), .besideNative = true},
    {COOPVK_GRANT(MixedDots, shaderMixedFloatDotProductFloat16AccFloat16), .besideNative = true},
    {COOPVK_GRANT(MixedDots, shaderMixedFloatDotProductBFloat16Acc), .besideNative = true},
    {COOPVK_GRANT(MixedDots, shaderMixedFloatDotProductFloat8AccFloat32), .besideNative = true},
};

inline constexpr Grant kSmBuiltinGrants[] = {
    {COOPVK_GRANT(VkPhysicalDeviceShaderSMBuiltinsFeaturesNV, shaderSMBuiltins)},
};

}  // namespace coopvk::layer
