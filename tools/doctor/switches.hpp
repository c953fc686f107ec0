// SPDX-License-Identifier: Apache-2.0
//
// What in the environment switches a layer that the loader found on or off.
#pragma once

#include <string_view>

#include "doctor/finding.hpp"

namespace coopvk::tool {

// Whether one of the patterns, separated by commas, stands for the layer's name: a name, with * at
// its begin, its end or both; or ~all~, ~implicit~ or ~explicit~.
bool filterHas(std::string_view patterns, std::string_view name, bool implicit);

// VK_INSTANCE_LAYERS or a filter asks for the layer by its name.
bool isNamed();

// COOPVK_DISABLE, COOPVK_ENABLE, and the loader's filters.
void checkSwitches(bool implicit, Findings& findings);

}  // namespace coopvk::tool
