// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "configuration.hpp"

namespace coopvk::tool {

// The user's coopvk.conf; empty if the environment names no folder.
inline std::filesystem::path userConfiguration() { return layer::configurationPaths().back(); }

// The folder of the configuration of all programs: ~/.config.
inline std::filesystem::path userConfigFolder() {
    return userConfiguration().parent_path().parent_path();
}

}  // namespace coopvk::tool
