// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vulkan/vulkan.h>

#include <new>
#include <type_traits>

namespace coopvk::reference::icd {

// A recording command that ran out of memory: vkEndCommandBuffer returns the error.
void failRecording(VkCommandBuffer commands) noexcept;

// Guard<function>::call is the entry point: no exception leaves it.
template <auto Function>
struct Guard;

template <typename R, typename First, typename... Rest, R (*Function)(First, Rest...)>
struct Guard<Function> {
    static VKAPI_ATTR R VKAPI_CALL call(First first, Rest... rest) noexcept {
        VkResult failure = VK_ERROR_UNKNOWN;
        try {
            return Function(first, rest...);
        } catch (const std::bad_alloc&) {
            failure = VK_ERROR_OUT_OF_HOST_MEMORY;
        } catch (...) {
        }
        if constexpr (std::is_same_v<First, VkCommandBuffer>) failRecording(first);
        if constexpr (std::is_same_v<R, VkResult>) {
            return failure;
        } else if constexpr (!std::is_void_v<R>) {
            return R{};
        }
    }
};

// The entry point of a command that this device has nothing for: of graphics and images.
template <typename Function>
struct Absent;

template <typename R, typename... Arguments>
struct Absent<R(VKAPI_PTR*)(Arguments...)> {
    static VKAPI_ATTR R VKAPI_CALL call(Arguments...) noexcept {
        if constexpr (std::is_same_v<R, VkResult>) {
            return VK_ERROR_FEATURE_NOT_PRESENT;
        } else if constexpr (!std::is_void_v<R>) {
            return R{};
        }
    }
};

}  // namespace coopvk::reference::icd
