// SPDX-License-Identifier: Apache-2.0
//
// The manifest by which the loader loads the layer into every program, where the configuration
// decides: like the installed one, but without enable_environment, and with a function of its own
// to negotiate with.
#pragma once

#include <filesystem>
#include <string>

#include "coopvk/rewrite.hpp"

namespace coopvk::tool {

// Among the folders for configuration, since the loader takes the first manifest of a layer, and
// looks there before it looks where the installed one lies. Empty where the environment names no
// folder.
std::filesystem::path configuredManifest(bool forAllUsers);

// From the manifest `installed`. Returns the path of what it wrote.
rewrite::Result<std::filesystem::path> installManifest(const std::filesystem::path& installed,
                                                       bool forAllUsers);

}  // namespace coopvk::tool
