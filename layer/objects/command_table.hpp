// SPDX-License-Identifier: Apache-2.0
//
// Lists of the Vulkan commands that the layer intercepts. A folder's commands.hpp has a macro with
// a row for each command, from which its functions are declared and its table is made.
#pragma once

#include <vulkan/vk_layer.h>
#include <vulkan/vulkan.h>

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <type_traits>

#include "objects/guard.hpp"

namespace coopvk::layer {

enum class CommandKind {
    kGlobal,  // callable without an instance
    kInstance,
    kPhysicalDevice,
    kAddedQuery,    // of a physical device; answered even if the next layer lacks it
    kDevice,        // on every device
    kShader,        // on devices whose shaders are rewritten
    kLoss,          // on those whose faults are remembered or reported
    kAddedCommand,  // on devices that emulate conversions, even if the next layer lacks it
    kCudaCommand,   // on devices for which coopvk lists VK_NV_cuda_kernel_launch, likewise
    kConversion,    // what a conversion must know, on these devices
    kInput,         // below the other commands, where inputs are kept
};

struct CommandEntry {
    std::string_view name;
    CommandKind kind;
    PFN_vkVoidFunction function;
};

// Sorted by name.
using CommandList = std::span<const CommandEntry>;

template <typename Pointer>
struct AsNoexcept;
template <typename R, typename... Args>
struct AsNoexcept<R(VKAPI_PTR*)(Args...)> {
    using Function = R(Args...) noexcept;
};
#define COOPVK_DECLARE_NOEXCEPT(command, function) AsNoexcept<PFN_##command>::Function function;

// A command with two names is declared twice, which C++ allows.
#define COOPVK_DECLARE_COMMAND(command, function) std::remove_pointer_t<PFN_##command> function;

#define COOPVK_COMMAND_ROW(kind, command, type, function) \
    {command, CommandKind::kind, guardedEntry<command, type, &function>()},

template <CommandName Name, typename Type, auto Function>
PFN_vkVoidFunction guardedEntry() {
    static_assert(std::is_convertible_v<decltype(&Guard<Name, Function>::call), Type>);
    return reinterpret_cast<PFN_vkVoidFunction>(&Guard<Name, Function>::call);
}

// For a static variable: it allocates nothing, so that it cannot fail.
template <size_t N>
std::array<CommandEntry, N> sortedCommands(const CommandEntry (&rows)[N]) {
    auto table = std::to_array(rows);
    std::ranges::sort(table, {}, &CommandEntry::name);
    return table;
}

// Null if the list lacks it.
inline const CommandEntry* findCommand(CommandList list, std::string_view name) {
    const auto found = std::ranges::lower_bound(list, name, {}, &CommandEntry::name);
    return found != list.end() && found->name == name ? &*found : nullptr;
}

}  // namespace coopvk::layer
