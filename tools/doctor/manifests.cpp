// SPDX-License-Identifier: Apache-2.0
#include "doctor/manifests.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "layer_location.hpp"
#include "settings/names.hpp"

namespace coopvk::tool {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

struct Variables {
    const char* only;   // in place of all other folders
    const char* added;  // in front of them
    const char* folder;
};
constexpr Variables kImplicitVariables = {"VK_IMPLICIT_LAYER_PATH", "VK_ADD_IMPLICIT_LAYER_PATH",
                                          "vulkan/implicit_layer.d"};
constexpr Variables kExplicitVariables = {"VK_LAYER_PATH", "VK_ADD_LAYER_PATH",
                                          "vulkan/explicit_layer.d"};

std::string variableOr(const char* name, const std::string& otherwise = {}) {
    const char* value = std::getenv(name);
    return value == nullptr || *value == '\0' ? otherwise : value;
}

void addPaths(std::string_view list, const fs::path& below, std::vector<fs::path>& paths) {
    while (!list.empty()) {
        const std::string_view path = list.substr(0, list.find(':'));
        list.remove_prefix(std::min(path.size() + 1, list.size()));
        if (path.empty()) continue;
        paths.push_back(below.empty() ? fs::path(path) : fs::path(path) / below);
    }
}

std::vector<fs::path> filesOf(const fs::path& path) {
    std::error_code error;
    if (fs::is_regular_file(path, error)) return {path};
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(path, error)) {
        if (entry.path().extension() == ".json") files.push_back(entry.path());
    }
    std::ranges::sort(files);
    return files;
}

// A path with a slash is relative to the manifest's folder; a name is looked up as any library.
std::string libraryOf(const fs::path& manifest, const std::string& library) {
    if (library.find('/') == std::string::npos) return library;
    return fs::path(library).is_absolute()
               ? library
               : (manifest.parent_path() / library).lexically_normal().string();
}

constexpr const char* kNegotiate = "vkNegotiateLoaderLayerInterfaceVersion";

std::string whyNotLoaded(const std::string& library, const std::string& negotiate) {
    void* handle = ::dlopen(library.c_str(), RTLD_LAZY | RTLD_LOCAL);
    if (handle == nullptr) return ::dlerror();
    const bool isLayer = ::dlsym(handle, kNegotiate) != nullptr;
    const bool canNegotiate = ::dlsym(handle, negotiate.c_str()) != nullptr;
    ::dlclose(handle);
    if (!isLayer) return library + " is no Vulkan layer";
    return canNegotiate ? "" : library + " is another version, without " + negotiate;
}

// The function that the loader calls first.
std::string negotiateFunction(const json& layer) {
    const json functions = layer.value("functions", json::object());
    const json name = functions.is_object() ? functions.value(kNegotiate, json()) : json();
    return name.is_string() ? name.get<std::string>() : kNegotiate;
}

bool isThisLayer(const json& layer) {
    return layer.is_object() && layer.value("name", json()) == layer::kLayerName;
}

bool isFor(const json& layer, const std::string& wordSize) {
    return layer.value("library_arch", json(wordSize)) == wordSize;
}

// Calls `visit` with this layer's manifests, in the loader's order.
template <typename Visit>
void eachManifest(LayerKind kind, Findings& findings, const Visit& visit) {
    for (const fs::path& path : layerPaths(kind)) {
        for (const fs::path& file : filesOf(path)) {
            std::ifstream stream(file);
            const json text = json::parse(stream, nullptr, false);
            if (text.is_discarded()) {
                if (file.filename() != kManifest) continue;
                findings.push_back({true, "the manifest " + file.string() + " is no JSON",
                                    "install coopvk again"});
                continue;
            }
            const json layer = text.is_object() ? text.value("layer", json()) : json();
            if (isThisLayer(layer)) visit(file, layer);
        }
    }
}

FoundManifest describe(const fs::path& file, const json& layer) {
    FoundManifest manifest;
    manifest.file = file;
    manifest.byConfiguration = negotiateFunction(layer) == coopvk::layer::kNegotiateByConfiguration;
    const json library = layer.value("library_path", json());
    if (!library.is_string() || library == "") {
        manifest.problem = "the manifest names no library";
    } else {
        manifest.library = libraryOf(file, library);
    }
    return manifest;
}

}  // namespace

std::vector<fs::path> layerPaths(LayerKind kind) {
    const Variables& names = kind == LayerKind::kImplicit ? kImplicitVariables : kExplicitVariables;
    std::vector<fs::path> paths;
    if (const std::string only = variableOr(names.only); !only.empty()) {
        addPaths(only, {}, paths);
        return paths;
    }
    addPaths(variableOr(names.added), {}, paths);
    const std::string home = variableOr("HOME");
    const auto atHome = [&](const char* folder) { return home.empty() ? "" : home + folder; };
    addPaths(variableOr("XDG_CONFIG_HOME", atHome("/.config")), names.folder, paths);
    addPaths(variableOr("XDG_CONFIG_DIRS", "/etc/xdg"), names.folder, paths);
    addPaths("/etc", names.folder, paths);
    addPaths(variableOr("XDG_DATA_HOME", atHome("/.local/share")), names.folder, paths);
    addPaths(variableOr("XDG_DATA_DIRS", "/usr/local/share:/usr/share"), names.folder, paths);
    return paths;
}

std::vector<FoundManifest> findManifests(LayerKind kind, Findings& findings) {
    const std::string own = std::to_string(8 * sizeof(void*));
    std::vector<FoundManifest> found;
    eachManifest(kind, findings, [&](const fs::path& file, const json& layer) {
        if (!isFor(layer, own)) return;
        FoundManifest& manifest = found.emplace_back(describe(file, layer));
        if (manifest.problem.empty())
            manifest.problem = whyNotLoaded(manifest.library, negotiateFunction(layer));
    });
    return found;
}

std::optional<FoundManifest> findManifestFor(const std::string& wordSize, LayerKind kind) {
    Findings unused;
    std::optional<FoundManifest> found;
    eachManifest(kind, unused, [&](const fs::path& file, const json& layer) {
        if (!found && layer.value("library_arch", json()) == wordSize)
            found = describe(file, layer);
    });
    std::error_code error;
    if (found && found->problem.empty() && found->library.find('/') != std::string::npos &&
        !fs::exists(found->library, error))
        found->problem = "there is no " + found->library;
    return found;
}

}  // namespace coopvk::tool
