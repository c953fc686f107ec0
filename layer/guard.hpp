// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vulkan/vulkan.h>

#include <new>
#include <type_traits>

namespace coopvk::layer {

// Guard<function>::call is what the outside sees of an entry point: no exception leaves it.
template <auto Function>
struct Guard;

template <typename R, typename... Args, R (*Function)(Args...)>
struct Guard<Function> {
    static VKAPI_ATTR R VKAPI_CALL call(Args... args) noexcept {
        VkResult failure = VK_ERROR_UNKNOWN;
        try {
            return Function(args...);
        } catch (const std::bad_alloc&) {
            failure = VK_ERROR_OUT_OF_HOST_MEMORY;
        } catch (...) {
        }
        if constexpr (std::is_same_v<R, VkResult>) {
            return failure;
        } else if constexpr (!std::is_void_v<R>) {
            return R{};
        }
    }
};

// Runs a function when a scope is left, unless it was told not to.
template <typename F>
class OnExit {
 public:
    explicit OnExit(F function) : function_(function) {}
    ~OnExit() {
        if (armed_) function_();
    }
    OnExit(const OnExit&) = delete;
    OnExit& operator=(const OnExit&) = delete;
    void dismiss() { armed_ = false; }

 private:
    F function_;
    bool armed_ = true;
};

}  // namespace coopvk::layer
