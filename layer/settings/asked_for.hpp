// SPDX-License-Identifier: Apache-2.0
//
// What switches a layer on or off, besides the configuration: the environment, and the application.
#pragma once

#include <vulkan/vulkan.h>

#include <string_view>

namespace coopvk::layer {

inline constexpr const char* kEnableVariable = "COOPVK_ENABLE";

enum class LayerKind { kImplicit, kExplicit };
// Whether one of the patterns, separated by commas, matches the layer. A pattern is a name with *
// at its begin, its end or both; or ~all~, ~implicit~ or ~explicit~.
bool filterHas(std::string_view patterns, std::string_view name, LayerKind kind);

// Whether VK_INSTANCE_LAYERS contains the layer's name.
bool isInLayerList();

// Whether VK_INSTANCE_LAYERS or VK_LOADER_LAYERS_ENABLE asks for the layer by its name.
bool isNamed();

// Whether the environment or the application asks for the layer. `info` may be null.
bool isAskedFor(const VkInstanceCreateInfo* info);

}  // namespace coopvk::layer
