// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "objects/command_table.hpp"

namespace coopvk::layer {

// Of any folder; null for commands that the layer does not intercept.
const CommandEntry* findCommand(std::string_view name);

}  // namespace coopvk::layer
