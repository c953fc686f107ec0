// SPDX-License-Identifier: Apache-2.0
#include "layer_location.hpp"

#include <volk.h>

#include <cstdlib>

namespace coopvk::tool {
namespace {

namespace fs = std::filesystem;

// Loaders from this version on read VK_ADD_IMPLICIT_LAYER_PATH (slightly older ones do, too).
constexpr uint32_t kLoaderWithImplicitPath = VK_MAKE_API_VERSION(0, 1, 3, 300);

}  // namespace

std::optional<fs::path> findManifestFolder() {
    std::error_code error;
    const fs::path program = fs::read_symlink("/proc/self/exe", error);
    if (error) return std::nullopt;
    const fs::path above = program.parent_path().parent_path();
    for (const fs::path& folder : {above / "share/vulkan/implicit_layer.d", above / "layer"}) {
        if (fs::exists(folder / kManifest, error)) return folder;
    }
    return std::nullopt;
}

std::string join(const std::string& first, const char* second, char separator) {
    return second == nullptr || *second == '\0' ? first : first + separator + second;
}

SearchPath searchPath(const fs::path& folder) {
    SearchPath path;
    path.implicit =
        volkInitialize() == VK_SUCCESS && volkGetInstanceVersion() >= kLoaderWithImplicitPath;
    // The first variable of each pair makes the loader ignore the second. Older loaders have a
    // search path for explicit layers only; a layer may be used as either.
    const char* only = path.implicit ? "VK_IMPLICIT_LAYER_PATH" : "VK_LAYER_PATH";
    const char* added = path.implicit ? "VK_ADD_IMPLICIT_LAYER_PATH" : "VK_ADD_LAYER_PATH";
    const char* variable = std::getenv(only) != nullptr ? only : added;
    path.environment.emplace_back(variable, join(folder, std::getenv(variable), ':'));
    return path;
}

}  // namespace coopvk::tool
