// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vulkan/vulkan.h>

#include <algorithm>
#include <span>

namespace coopvk::layer {

// Vulkan's two-call idiom: without `out`, the number of elements; with it, as many as fit, and
// VK_INCOMPLETE if those are not all. write(source, target) copies one element.
template <typename Source, typename Target, typename Write>
VkResult giveArray(std::span<const Source> source, uint32_t* count, Target* out,
                   const Write& write) {
    const auto total = static_cast<uint32_t>(source.size());
    if (out == nullptr) {
        *count = total;
        return VK_SUCCESS;
    }
    const uint32_t given = std::min(*count, total);
    for (uint32_t i = 0; i < given; ++i) write(source[i], out[i]);
    *count = given;
    return given < total ? VK_INCOMPLETE : VK_SUCCESS;
}

template <typename T>
VkResult giveArray(std::span<const T> source, uint32_t* count, T* out) {
    return giveArray(source, count, out, [](const T& from, T& to) { to = from; });
}

}  // namespace coopvk::layer
