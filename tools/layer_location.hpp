// SPDX-License-Identifier: Apache-2.0
//
// Where the layer is, and how to make the loader look there.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace coopvk::tool {

inline constexpr const char* kManifest = "VkLayer_coopvk.json";
// Beside it if the layer for 32-bit programs is installed, too.
inline constexpr const char* kNarrowManifest = "VkLayer_coopvk_32.json";

// Variables and their values.
using Environment = std::vector<std::pair<std::string, std::string>>;

// The folder of the manifest: of an installation, also if it was moved, or of a build.
std::optional<std::filesystem::path> findManifestFolder();

struct SearchPath {
    Environment environment;
    bool implicit = true;  // else the loader takes the layer by its name only
};
SearchPath searchPath(const std::filesystem::path& folder);
// Sets it in this process, unless there is no manifest: then the environment has the path.
void addLayerToSearchPath();

// What a user enters to start this program: `coopvk`, or its path where the shell finds another or
// none.
std::string commandName();

// `first`, then the separator and `second` if `second` is not empty.
std::string join(const std::string& first, const char* second, char separator);

}  // namespace coopvk::tool
