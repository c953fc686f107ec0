// SPDX-License-Identifier: Apache-2.0
//
// The rewriter's names of the device features.
#pragma once

#include "coopvk/rewrite.hpp"
#include "device/device_facts.hpp"
#include "device/features.hpp"

namespace coopvk::layer {

struct FeatureTrait {
    Feature feature;
    bool rewrite::DeviceTraits::* trait;
};

#define COOPVK_TRAIT(Id, member) {Feature::Id, &rewrite::DeviceTraits::member}
inline constexpr FeatureTrait kFeatureTraits[] = {
    COOPVK_TRAIT(kComputeFullSubgroups, computeFullSubgroups),
    COOPVK_TRAIT(kVulkanMemoryModel, vulkanMemoryModel),
    COOPVK_TRAIT(kShaderFloat16, shaderFloat16),
    COOPVK_TRAIT(kShaderFloat64, shaderFloat64),
    COOPVK_TRAIT(kShaderInt8, shaderInt8),
    COOPVK_TRAIT(kShaderInt16, shaderInt16),
    COOPVK_TRAIT(kShaderInt64, shaderInt64),
    COOPVK_TRAIT(kStorageBuffer8BitAccess, storageBuffer8BitAccess),
    COOPVK_TRAIT(kStorageBuffer16BitAccess, storageBuffer16BitAccess),
    COOPVK_TRAIT(kUniformAndStorageBuffer8BitAccess, uniformAndStorageBuffer8BitAccess),
    COOPVK_TRAIT(kUniformAndStorageBuffer16BitAccess, uniformAndStorageBuffer16BitAccess),
    COOPVK_TRAIT(kStoragePushConstant8, storagePushConstant8),
    COOPVK_TRAIT(kStoragePushConstant16, storagePushConstant16),
    COOPVK_TRAIT(kScalarBlockLayout, scalarBlockLayout),
    COOPVK_TRAIT(kShaderIntegerDotProduct, shaderIntegerDotProduct),
    COOPVK_TRAIT(kMixedFloatDotProduct, shaderMixedFloatDotProductFloat16AccFloat32),
    COOPVK_TRAIT(kBufferDeviceAddress, bufferDeviceAddress),
    COOPVK_TRAIT(kShaderBufferFloat32AtomicAdd, shaderBufferFloat32AtomicAdd),
    COOPVK_TRAIT(kShaderSharedFloat32AtomicAdd, shaderSharedFloat32AtomicAdd),
    COOPVK_TRAIT(kShaderCoreBuiltins, shaderCoreBuiltins),
    COOPVK_TRAIT(kSubgroupUniformControlFlow, shaderSubgroupUniformControlFlow),
};
#undef COOPVK_TRAIT

// Whether code may read beyond the end of a buffer.
inline bool hasRobustAccesses(const DeviceFacts& facts) {
    return facts.has(Feature::kRobustBufferAccess) || facts.has(Feature::kPipelineRobustness);
}

}  // namespace coopvk::layer
