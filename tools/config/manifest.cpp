// SPDX-License-Identifier: Apache-2.0
#include "config/manifest.hpp"

#include <fstream>
#include <nlohmann/json.hpp>

#include "failure.hpp"
#include "json_text.hpp"
#include "settings/names.hpp"
#include "system/system.hpp"
#include "system/tool_system.hpp"

namespace coopvk::tool {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kBelow = "vulkan/implicit_layer.d/VkLayer_coopvk_configured.json";
constexpr const char* kNarrowBelow = "vulkan/implicit_layer.d/VkLayer_coopvk_configured_32.json";

}  // namespace

fs::path configuredManifest(bool forAllUsers, bool forNarrow) {
    const fs::path folder =
        forAllUsers ? layer::system::systemConfigFolder() : layer::system::userConfigFolder();
    return folder.empty() ? fs::path()
                          : (folder / (forNarrow ? kNarrowBelow : kBelow)).make_preferred();
}

rewrite::Result<fs::path> installManifest(const fs::path& installed, bool forAllUsers,
                                          bool forNarrow) {
    const fs::path target = configuredManifest(forAllUsers, forNarrow);
    if (target.empty()) return failure(layer::system::kNoUserFolder);
    std::ifstream stream(installed);
    json manifest = json::parse(stream, nullptr, false);
    if (!manifest.is_object() || !manifest.contains("layer") || !manifest["layer"].is_object()) {
        return failure(installed.string() + " is no manifest");
    }
    json& layer = manifest["layer"];
    const fs::path library = layer.value("library_path", "");
    layer["library_path"] = fs::weakly_canonical(installed.parent_path() / library).string();
    layer["functions"] = {
        {"vkNegotiateLoaderLayerInterfaceVersion", layer::kNegotiateByConfiguration}};
    layer.erase("enable_environment");
    std::error_code error;
    fs::create_directories(target.parent_path(), error);
    std::ofstream out(target);
    out << jsonText(manifest, 4);
    out.close();
    if (!out) return failure("cannot write " + target.string());
    if (const std::string wrong = system::registerManifest(target, forAllUsers); !wrong.empty()) {
        return failure(wrong);
    }
    return target;
}

}  // namespace coopvk::tool
