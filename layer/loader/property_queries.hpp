// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vulkan/vk_layer.h>
#include <vulkan/vulkan.h>

#include <map>
#include <string_view>

namespace coopvk::layer {

// The next layer's queries for matrices, vectors and blocks by name; null: it has none. Call
// this while the instance is created: later some loaders (1.3.239) return the commands of the first
// layer, which would call themselves.
std::map<std::string_view, PFN_vkVoidFunction> loadNextQueries(
    VkInstance instance, PFN_vkGetInstanceProcAddr getNext,
    PFN_GetPhysicalDeviceProcAddr getNextPhysical);

}  // namespace coopvk::layer
