// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vulkan/vulkan.h>

#include <string_view>

namespace coopvk::layer {

enum class CommandKind {
    kGlobal,
    kInstance,
    kPhysicalDevice,
    kAddedQuery,
    kDevice,
    kShader,
    kAddedCommand,
    kConversion,
};

struct CommandEntry {
    std::string_view name;
    CommandKind kind;
    PFN_vkVoidFunction function;
};

// Null for commands that the layer does not intercept.
const CommandEntry* findCommand(std::string_view name);

}  // namespace coopvk::layer
