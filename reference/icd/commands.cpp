// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace coopvk::reference::icd {
namespace {

// Guard<function>::call is the entry point: no exception leaves it.
template <auto Function>
struct Guard;

template <typename R, typename First, typename... Rest, R (*Function)(First, Rest...)>
struct Guard<Function> {
    static VKAPI_ATTR R VKAPI_CALL call(First first, Rest... rest) noexcept {
        try {
            return Function(first, rest...);
        } catch (...) {  // nothing throws here for want of anything but memory and threads
        }
        constexpr VkResult kFailure = VK_ERROR_OUT_OF_HOST_MEMORY;
        if constexpr (std::is_same_v<First, VkCommandBuffer>) failRecording(first, kFailure);
        if constexpr (std::is_same_v<R, VkResult>) {
            return kFailure;
        } else if constexpr (!std::is_void_v<R>) {
            return R{};
        }
    }
};

// What a command returns that does nothing. All others are of graphics, images, or sharing.
constexpr std::pair<std::string_view, VkResult> kResults[] = {
    {"EnumerateInstanceLayerProperties", VK_SUCCESS},
    {"EnumerateDeviceLayerProperties", VK_SUCCESS},
    {"FlushMappedMemoryRanges", VK_SUCCESS},
    {"GetPhysicalDeviceImageFormatProperties", VK_ERROR_FORMAT_NOT_SUPPORTED},
    {"GetPhysicalDeviceImageFormatProperties2", VK_ERROR_FORMAT_NOT_SUPPORTED},
    {"GetPhysicalDeviceToolProperties", VK_SUCCESS},
    {"InvalidateMappedMemoryRanges", VK_SUCCESS},
    {"MergePipelineCaches", VK_SUCCESS},
    {"SetDebugUtilsObjectTagEXT", VK_SUCCESS},
    {"UnmapMemory2", VK_SUCCESS},
};

constexpr VkResult resultOf(std::string_view name) {
    for (const auto& [known, result] : kResults)
        if (known == name) return result;
    return VK_ERROR_FEATURE_NOT_PRESENT;
}

// What an argument points to, if the command may write it, becomes 0, but for the head of a chain.
template <typename T>
void clear(T argument) {
    using Out = std::remove_pointer_t<T>;
    if constexpr (std::is_pointer_v<T> && !std::is_const_v<Out> && requires { sizeof(Out); }) {
        if (argument == nullptr) return;
        constexpr size_t kHead = requires { argument->pNext; } ? sizeof(VkBaseOutStructure) : 0;
        std::memset(reinterpret_cast<std::byte*>(argument) + kHead, 0, sizeof(Out) - kHead);
    }
}

template <typename Function, VkResult Result>
struct Absent;

template <typename R, typename... Arguments, VkResult Result>
struct Absent<R(Arguments...), Result> {
    // An array that belongs to the count may have no element.
    static constexpr bool kLists = (std::is_same_v<Arguments, uint32_t*> || ...);

    static VKAPI_ATTR R VKAPI_CALL call(Arguments... arguments) noexcept {
        const auto each = [](auto argument) {
            if constexpr (!kLists || std::is_same_v<decltype(argument), uint32_t*>) clear(argument);
        };
        (each(arguments), ...);
        if constexpr (std::is_same_v<R, VkResult>) {
            return Result;
        } else if constexpr (!std::is_void_v<R>) {
            return R{};
        }
    }
};

template <typename Function>
PFN_vkVoidFunction pointer(Function* function) {
    return reinterpret_cast<PFN_vkVoidFunction>(function);
}

#define COOPVK_COMMAND(name, target, level, extension) \
    Command{#name, Level::level, extension,            \
            icd::target != nullptr                     \
                ? pointer(&Guard<&icd::target>::call)  \
                : pointer(&Absent<decltype(icd::target), resultOf(#target)>::call)},
auto sortedCommands() {
    auto rows = std::to_array<Command>({
#include "commands.inc"
    });
    std::sort(rows.begin(), rows.end(),
              [](const Command& a, const Command& b) { return a.name < b.name; });
    return rows;
}
#undef COOPVK_COMMAND

}  // namespace

const Command* findCommand(std::string_view name) {
    static const auto commands = sortedCommands();
    const auto found = std::lower_bound(
        commands.begin(), commands.end(), name,
        [](const Command& row, std::string_view wanted) { return row.name < wanted; });
    return found != commands.end() && found->name == name ? &*found : nullptr;
}

}  // namespace coopvk::reference::icd
