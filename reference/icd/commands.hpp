// SPDX-License-Identifier: Apache-2.0
//
// The commands of the registry that the device knows. One that has a definition somewhere in this
// folder does what it says; all others do nothing (commands.cpp).
#pragma once

#include <vulkan/vulkan.h>

#include <string_view>
#include <type_traits>

namespace coopvk::reference::icd {

// Weak: the address of a command that nobody defines is null.
#define COOPVK_COMMAND(name, target, level, extension) \
    [[gnu::weak]] std::remove_pointer_t<PFN_vk##target> target;
#include "commands.inc"
#undef COOPVK_COMMAND

enum class Level { kGlobal, kInstance, kPhysicalDevice, kDevice };

struct Command {
    std::string_view name;
    Level level;
    std::string_view extension;  // that adds it, or ""
    PFN_vkVoidFunction function;
};

// A recording command did not do its work: vkEndCommandBuffer returns the error.
void failRecording(VkCommandBuffer commands, VkResult error) noexcept;

// Null for a command that the driver does not know.
const Command* findCommand(std::string_view name);

}  // namespace coopvk::reference::icd
