// SPDX-License-Identifier: Apache-2.0
//
// The device features that emulation may need: one row each. The query that fills DeviceTraits
// reads the rows, and vkCreateDevice enables the features.
#pragma once

#include <vulkan/vulkan.h>

#include <algorithm>
#include <bitset>
#include <cstddef>
#include <span>

namespace coopvk::layer {

enum class Feature : size_t {
    kRobustBufferAccess,
    kShaderFloat64,
    kShaderInt64,
    kShaderInt16,
    kStorageBuffer16BitAccess,
    kStorageBuffer8BitAccess,
    kUniformAndStorageBuffer16BitAccess,
    kUniformAndStorageBuffer8BitAccess,
    kStoragePushConstant16,
    kStoragePushConstant8,
    kScalarBlockLayout,
    kShaderFloat16,
    kShaderInt8,
    kVulkanMemoryModel,
    kVulkanMemoryModelDeviceScope,
    kShaderSubgroupExtendedTypes,
    kSubgroupSizeControl,
    kComputeFullSubgroups,
    kShaderIntegerDotProduct,
    kBufferDeviceAddress,
    kShaderBufferFloat32AtomicAdd,
    kShaderSharedFloat32AtomicAdd,
    kShaderSharedFloat32Atomics,
    kSharedScalarLayout,  // of blocks in Workgroup memory
    kSharedLayout8BitAccess,
    kSharedLayout16BitAccess,
    kMixedFloatDotProduct,
    kPipelineRobustness,
    kNativeCooperativeMatrix,
    kShaderCoreBuiltins,
    kSubgroupUniformControlFlow,
    kCount,
};

using FeatureSet = std::bitset<static_cast<size_t>(Feature::kCount)>;

// The structure of the features of Vulkan 1.0.
inline constexpr auto kFeatures2 = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;

// A member of a feature structure; VK_STRUCTURE_TYPE_MAX_ENUM: there is none.
struct FeaturePlace {
    VkStructureType type = VK_STRUCTURE_TYPE_MAX_ENUM;
    size_t size = 0;  // of the structure
    size_t offset = 0;
};

struct FeatureRow {
    Feature feature;
    const char* name;
    // The structure for the feature alone; VkPhysicalDeviceFeatures2 for the oldest ones.
    FeaturePlace single;
    // VkPhysicalDeviceVulkan1xFeatures.
    FeaturePlace aggregate;
    // From this version on `single` needs no extension. Before, it needs `extension` (null: it is
    // not available).
    uint32_t promotedIn;
    const char* extension;
    // The same feature of an older extension. Where the application enables that extension, Vulkan
    // forbids the feature in the other places.
    FeaturePlace older = {};
    const char* olderExtension = nullptr;
};

// In the order of the enum.
std::span<const FeatureRow> featureTable();

// Consecutive VkBool32 members of a feature structure. A structure's size does not determine their
// number: padding may follow the last one.
struct FeatureBits {
    size_t offset = 0;
    size_t count = 0;
};
#define COOPVK_FEATURE_BITS(Struct, first, last) \
    ::coopvk::layer::FeatureBits{                \
        offsetof(Struct, first),                 \
        (offsetof(Struct, last) - offsetof(Struct, first)) / sizeof(VkBool32) + 1}

inline std::span<VkBool32> bitsOf(void* node, FeatureBits bits) {
    return {reinterpret_cast<VkBool32*>(static_cast<std::byte*>(node) + bits.offset), bits.count};
}
inline std::span<const VkBool32> bitsOf(const void* node, FeatureBits bits) {
    return bitsOf(const_cast<void*>(node), bits);
}
inline bool anySet(std::span<const VkBool32> bits) {
    return std::ranges::any_of(bits, [](VkBool32 bit) { return bit != VK_FALSE; });
}

inline VkBool32& featureBit(void* node, size_t offset) {
    return *reinterpret_cast<VkBool32*>(static_cast<std::byte*>(node) + offset);
}

}  // namespace coopvk::layer
