// SPDX-License-Identifier: Apache-2.0
//
// The features that the rewriter's code for each extension needs; those that the device has are
// enabled, except those that the application switches off.
#pragma once

#include <algorithm>
#include <array>
#include <iterator>

#include "device/features.hpp"

namespace coopvk::layer {

inline constexpr Feature kMatrixNeeds[] = {
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
    Feature::kSubgroupUniformControlFlow,
};

inline constexpr auto kMatrix2Needs = [] {
    std::array<Feature, std::size(kMatrixNeeds) + 1> needs;
    *std::ranges::copy(kMatrixNeeds, needs.begin()).out = Feature::kBufferDeviceAddress;
    return needs;
}();

inline constexpr Feature kVectorNeeds[] = {
    Feature::kShaderInt16,
    Feature::kShaderInt64,
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
    Feature::kBufferDeviceAddress,
    Feature::kShaderBufferFloat32AtomicAdd,
    Feature::kShaderSharedFloat32AtomicAdd,
    Feature::kShaderSharedFloat32Atomics,  // f32 in Workgroup memory is exchanged
    Feature::kSubgroupUniformControlFlow,
};

inline constexpr Feature kInt4Needs[] = {
    Feature::kShaderInt16,
    Feature::kShaderInt8,
    Feature::kStorageBuffer16BitAccess,
    Feature::kStorageBuffer8BitAccess,
    Feature::kUniformAndStorageBuffer16BitAccess,
    Feature::kUniformAndStorageBuffer8BitAccess,
    Feature::kStoragePushConstant16,
    Feature::kStoragePushConstant8,
    Feature::kScalarBlockLayout,
    Feature::kSharedScalarLayout,
    Feature::kSharedLayout8BitAccess,
    Feature::kSharedLayout16BitAccess,
    Feature::kVulkanMemoryModel,
    Feature::kVulkanMemoryModelDeviceScope,
    Feature::kSubgroupSizeControl,
    Feature::kComputeFullSubgroups,
    Feature::kShaderIntegerDotProduct,
};

// Components of long vectors lie without gaps, also in uniform buffers.
inline constexpr Feature kLongVectorNeeds[] = {
    Feature::kScalarBlockLayout,
};

inline constexpr Feature kBlockIoNeeds[] = {
    Feature::kShaderInt64,
    Feature::kShaderInt16,
    Feature::kStorageBuffer16BitAccess,
    Feature::kStorageBuffer8BitAccess,
    Feature::kShaderInt8,
    Feature::kSubgroupSizeControl,
    Feature::kComputeFullSubgroups,
    Feature::kSubgroupUniformControlFlow,
};

// In memory, emulated formats are integers.
inline constexpr Feature kBfloat16Needs[] = {
    Feature::kShaderInt16,
    Feature::kStorageBuffer16BitAccess,
    Feature::kUniformAndStorageBuffer16BitAccess,
    Feature::kStoragePushConstant16,
    Feature::kSharedLayout16BitAccess,
};

inline constexpr Feature kFloat8Needs[] = {
    Feature::kShaderInt8,
    Feature::kShaderFloat16,
    Feature::kStorageBuffer8BitAccess,
    Feature::kUniformAndStorageBuffer8BitAccess,
    Feature::kStoragePushConstant8,
    Feature::kSharedLayout8BitAccess,
};

// Formats of 8 bits and less.
inline constexpr Feature kByteNeeds[] = {
    Feature::kShaderInt8,
    Feature::kStorageBuffer8BitAccess,
    Feature::kUniformAndStorageBuffer8BitAccess,
    Feature::kStoragePushConstant8,
    Feature::kSharedLayout8BitAccess,
};

inline constexpr Feature kMixedDotNeeds[] = {Feature::kShaderFloat16};

inline constexpr Feature kSubgroupSizeNeeds[] = {Feature::kSubgroupSizeControl};

inline constexpr Feature kSmBuiltinNeeds[] = {Feature::kShaderCoreBuiltins};

inline constexpr Feature kFloat16Needs[] = {Feature::kShaderInt16};

}  // namespace coopvk::layer
