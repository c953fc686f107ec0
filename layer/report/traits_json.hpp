// SPDX-License-Identifier: Apache-2.0
//
// rewrite::DeviceTraits as JSON, so that shaders can be rewritten for a device of another machine.
#pragma once

#include <nlohmann/json.hpp>

#include "coopvk/rewrite.hpp"

namespace coopvk::layer {

nlohmann::ordered_json toJson(const rewrite::DeviceTraits& traits);

// Reads the output of `coopvk info --json` (its first device), one device of it, or the traits
// alone. Absent members keep their defaults, unknown ones are errors.
rewrite::Result<rewrite::DeviceTraits> traitsFromJson(const nlohmann::ordered_json& json);

}  // namespace coopvk::layer
