// SPDX-License-Identifier: Apache-2.0
//
// The manifest with which the loader loads the layer into every program, so that the configuration
// can decide. It is like the installed one, but without enable_environment, and with another
// negotiation function.
#pragma once

#include <filesystem>
#include <string>

#include "coopvk/rewrite.hpp"

namespace coopvk::tool {

// In a folder for configuration: the loader uses the first manifest of a layer that it finds, and
// looks there before it looks in the folder of the installed one. Empty if the environment names no
// folder. `forNarrow`: the one for 32-bit programs.
std::filesystem::path configuredManifest(bool forAllUsers, bool forNarrow = false);

// From the manifest `installed`. Returns the path of what it wrote.
rewrite::Result<std::filesystem::path> installManifest(const std::filesystem::path& installed,
                                                       bool forAllUsers, bool forNarrow = false);

}  // namespace coopvk::tool
