// SPDX-License-Identifier: Apache-2.0
#include "devices.hpp"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace coopvk::fleet {
namespace {

constexpr const char* kDevices =
#include "devices.inc"
    ;

constexpr const char* kManifestFolders = "/usr/local/share/vulkan/icd.d:/usr/share/vulkan/icd.d";

// The first file in one of the folders whose name begins with `name` and ends with `ending`.
std::string find(std::string_view name, std::string_view ending, std::string_view folders) {
    while (!folders.empty()) {
        const std::filesystem::path folder = folders.substr(0, folders.find(':'));
        folders.remove_prefix(std::min(folders.size(), folder.native().size() + 1));
        std::error_code ignored;
        for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
            const std::string file = entry.path().filename();
            if (file.starts_with(name) && file.ends_with(ending)) return entry.path();
        }
    }
    return {};
}

}  // namespace

std::vector<Device> devices() {
    std::vector<Device> list;
    for (const auto& row : nlohmann::json::parse(kDevices))
        list.push_back({row.at("name"), row.at("gpu"), row.at("library"), row.at("driver"),
                        row.at("environment"), row.at("short"), row.value("spillSpread", 0.0)});
    return list;
}

Device deviceOf(std::string_view name) {
    const auto all = devices();
    const auto device = std::ranges::find(all, name, &Device::name);
    if (device == all.end())
        throw std::runtime_error("no device " + std::string(name) + " (see --list)");
    return *device;
}

std::string findLibrary(std::string_view library, std::string_view folders) {
    return find(library, ".so", folders);
}

std::string findManifest(std::string_view driver) {
    return find(driver, ".json", kManifestFolders);
}

}  // namespace coopvk::fleet
