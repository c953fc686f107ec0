// SPDX-License-Identifier: Apache-2.0
//
// What a device's properties tell, beside those of Vulkan 1.0.
#pragma once

#include <vulkan/vulkan.h>

namespace coopvk::layer {

struct DeviceFacts;
struct DeviceQueries;

// Behind the features, on which it depends what there is to query.
void queryProperties(const DeviceQueries& queries, VkPhysicalDevice device, DeviceFacts& facts);

}  // namespace coopvk::layer
