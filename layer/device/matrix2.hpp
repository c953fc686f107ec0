// SPDX-License-Identifier: Apache-2.0
//
// The features and limits that VK_NV_cooperative_matrix2 and related extensions add to matrices.
// coopvk can add each feature to those that the driver has. If a shader uses an added feature, all
// its matrices are lowered.
#pragma once

#include <vulkan/vulkan.h>

#include <vector>

#include "chain/vulkan_newer.hpp"
#include "device/extension_rows.hpp"

namespace coopvk::layer {

struct PhysicalDeviceContext;

bool hasBufferAddresses(const DeviceFacts& facts);

#define COOPVK_MATRIX2_GRANT(member) \
    COOPVK_GRANT(VkPhysicalDeviceCooperativeMatrix2FeaturesNV, member), .besideNative = true
inline constexpr Grant kMatrix2Grants[] = {
    {COOPVK_MATRIX2_GRANT(cooperativeMatrixWorkgroupScope)},
    {COOPVK_MATRIX2_GRANT(cooperativeMatrixFlexibleDimensions)},
    {COOPVK_MATRIX2_GRANT(cooperativeMatrixReductions)},
    {COOPVK_MATRIX2_GRANT(cooperativeMatrixConversions)},
    {COOPVK_MATRIX2_GRANT(cooperativeMatrixPerElementOperations)},
    {COOPVK_MATRIX2_GRANT(cooperativeMatrixTensorAddressing)},
    {COOPVK_MATRIX2_GRANT(cooperativeMatrixBlockLoads), .possible = hasBufferAddresses},
};
#undef COOPVK_MATRIX2_GRANT

#define COOPVK_MAINTENANCE1_GRANT(member)                                           \
    COOPVK_GRANT(VkPhysicalDeviceCooperativeMatrixMaintenance1FeaturesEXT, member), \
        .besideNative = true
inline constexpr Grant kMatrixMaintenance1Grants[] = {
    {COOPVK_MAINTENANCE1_GRANT(cooperativeMatrixProperties2)},
    {COOPVK_MAINTENANCE1_GRANT(cooperativeMatrixReductions)},
    {COOPVK_MAINTENANCE1_GRANT(cooperativeMatrixConversions)},
    {COOPVK_MAINTENANCE1_GRANT(cooperativeMatrixPerElementOperations)},
    {COOPVK_MAINTENANCE1_GRANT(cooperativeMatrixGetCoordinate)},
};
#undef COOPVK_MAINTENANCE1_GRANT

inline constexpr Grant kDecodeVectorGrants[] = {
    {COOPVK_GRANT(VkPhysicalDeviceCooperativeMatrixDecodeVectorFeaturesNV,
                  cooperativeMatrixDecodeVector)},
};

// VkPhysicalDeviceCooperativeMatrix2PropertiesNV.
void fillMatrix2Properties(const DeviceFacts& facts, uint32_t native, void* node);

// coopvk's rows of vkGetPhysicalDeviceCooperativeMatrixFlexibleDimensionsPropertiesNV: for both
// scopes; only for workgroups if the driver has flexible dimensions.
std::vector<rewrite::FlexibleShape> flexibleShapes(const PhysicalDeviceContext& device);

}  // namespace coopvk::layer
