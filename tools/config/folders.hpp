// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "settings/configuration.hpp"

namespace coopvk::tool {

// The user's coopvk.conf; empty if the environment names no folder.
inline std::filesystem::path userConfiguration() { return layer::configurationPaths().back(); }

}  // namespace coopvk::tool
