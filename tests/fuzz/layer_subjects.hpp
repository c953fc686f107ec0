// SPDX-License-Identifier: Apache-2.0
//
// Parts of the layer, each with an input of its own kind.
#pragma once

#include <optional>
#include <string>

#include "layer_input.hpp"
#include "layer_world.hpp"

namespace coopvk::fuzz {

using Complaint = std::optional<std::string>;

// Settings: environment, vk_layer_settings.txt, VkLayerSettingsCreateInfoEXT.
Complaint checkSettings(Reader& reader, World& world);
// Queries of physical devices: features, properties, extensions, shapes.
Complaint checkQueries(Reader& reader, World& world);
// vkCreateDevice.
Complaint checkDevice(Reader& reader, World& world);
// Shader modules, pipelines of all kinds, shader objects, pipeline binaries.
Complaint checkPipelines(Reader& reader, World& world);
// vkConvertCooperativeVectorMatrixNV.
Complaint checkConversion(Reader& reader, World& world);
// Commands that are recorded around vkCmdConvertCooperativeVectorMatrixNV.
Complaint checkCommands(Reader& reader, World& world);

}  // namespace coopvk::fuzz
