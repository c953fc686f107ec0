// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vulkan/vulkan.h>

#include <algorithm>
#include <cstddef>
#include <new>
#include <type_traits>

namespace coopvk::layer {

// Logs that a command failed for a reason of the layer's own, in the log of the handle's instance.
void reportFailure(VkInstance instance, const char* command, VkResult result) noexcept;
void reportFailure(VkPhysicalDevice device, const char* command, VkResult result) noexcept;
void reportFailure(VkDevice device, const char* command, VkResult result) noexcept;
void reportFailure(VkQueue queue, const char* command, VkResult result) noexcept;
void reportFailure(VkCommandBuffer commands, const char* command, VkResult result) noexcept;
// For commands without such a handle: to stderr.
void reportFailure(const void* none, const char* command, VkResult result) noexcept;

// A text as a template argument.
template <size_t N>
struct CommandName {
    consteval CommandName(const char (&name)[N]) { std::copy_n(name, N, text); }
    char text[N];
};

// Calls a function. No exception leaves it, and each is logged for the handle's command.
template <CommandName Name, typename Handle, typename F>
auto guarded(Handle handle, const F& function) noexcept -> decltype(function()) {
    using R = decltype(function());
    VkResult failure = VK_ERROR_UNKNOWN;
    try {
        return function();
    } catch (const std::bad_alloc&) {
        failure = VK_ERROR_OUT_OF_HOST_MEMORY;
    } catch (...) {
    }
    reportFailure(handle, Name.text, failure);
    if constexpr (std::is_same_v<R, VkResult>) {
        return failure;
    } else if constexpr (!std::is_void_v<R>) {
        return R{};
    }
}

template <CommandName Name, auto Function, typename Type>
struct GuardOf;

template <CommandName Name, auto Function, typename R, typename First, typename... Rest>
struct GuardOf<Name, Function, R (*)(First, Rest...)> {
    static VKAPI_ATTR R VKAPI_CALL call(First first, Rest... rest) noexcept {
        return guarded<Name>(first, [&] { return Function(first, rest...); });
    }
};

// The call is a jump, and what it takes from the stack stays where it is.
template <CommandName Name, auto Function, typename R, typename... Args>
struct GuardOf<Name, Function, R (*)(Args...) noexcept> {
    static VKAPI_ATTR R VKAPI_CALL call(Args... args) noexcept { return Function(args...); }
};

// Guard<name, function>::call is the entry point that applications and the loader call. No
// exception leaves it, and each exception is logged; functions that are noexcept see to that
// themselves.
template <CommandName Name, auto Function>
struct Guard : GuardOf<Name, Function, decltype(Function)> {};

// The next layer's commands throw nothing. A function that is noexcept and calls one last, by such
// a pointer, ends with a jump.
template <typename R, typename... Args>
auto noThrow(R(VKAPI_PTR* command)(Args...)) {
    return reinterpret_cast<R(VKAPI_PTR*)(Args...) noexcept>(command);
}

// The first of a command's names that the next layer has; null if it has none.
template <typename Function, typename... Others>
Function firstOf(Function command, Others... others) {
    if constexpr (sizeof...(others) == 0) {
        return command;
    } else {
        return command != nullptr ? command : firstOf<Function>(others...);
    }
}

// Runs a function when a scope is left, unless it was dismissed.
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
