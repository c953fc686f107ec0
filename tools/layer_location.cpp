// SPDX-License-Identifier: Apache-2.0
#include "layer_location.hpp"

#include <volk.h>

#include <cstdlib>

#include "system/system.hpp"
#include "system/tool_system.hpp"

namespace coopvk::tool {
namespace {

namespace fs = std::filesystem;

// Loaders from this version on read VK_ADD_IMPLICIT_LAYER_PATH (slightly older ones do, too).
constexpr uint32_t kLoaderWithImplicitPath = VK_MAKE_API_VERSION(0, 1, 3, 300);

}  // namespace

std::optional<fs::path> findManifestFolder() {
    const fs::path program = layer::system::programFile();
    if (program.empty()) return std::nullopt;
    std::error_code error;
    for (const fs::path& folder : system::manifestFolders(program)) {
        if (fs::exists(folder / kManifest, error)) return folder;
    }
    return std::nullopt;
}

std::string commandName() {
    const fs::path own = layer::system::programFile();
    std::error_code error;
    const fs::path found = system::findProgram("coopvk");
    return !found.empty() && fs::equivalent(found, own, error) ? "coopvk" : own.string();
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
    path.environment.emplace_back(
        variable, join(folder.string(), std::getenv(variable), layer::system::kListSeparator));
    return path;
}

void addLayerToSearchPath() {
    const auto folder = findManifestFolder();
    if (!folder) return;
    for (const auto& [name, value] : searchPath(*folder).environment)
        layer::system::setVariable(name, value);
}

}  // namespace coopvk::tool
