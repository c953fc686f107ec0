// SPDX-License-Identifier: Apache-2.0
//
// The settings that a program's instance has, from all sources.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>
#include <vulkan/layer/vk_layer_settings.hpp>

#include "settings/settings.hpp"
#include "settings/unknown_settings.hpp"

namespace coopvk::layer {

inline constexpr const char* kDefaultOrigin = "default";

// The set of settings of the settings library, for one call.
class SettingSet {
 public:
    explicit SettingSet(const VkInstanceCreateInfo* createInfo);
    ~SettingSet();
    SettingSet(const SettingSet&) = delete;
    SettingSet& operator=(const SettingSet&) = delete;

    // The value as text, from any source; the manifest's default if there is none.
    SettingFound find(const SettingInfo& setting, const ConfiguredSettings& configured) const;

    // Complains about what is in the file: unknown keys, and settings that have no effect there.
    void complainOfFile(std::vector<std::string>& complaints) const;

    // Names from the application that the manifest does not have.
    std::vector<const char*> unknown() const;

 private:
    // Whether the file must not set it: somebody else could make the layer write to a file of this
    // user.
    bool isDistrusted(const SettingInfo& setting) const;
    std::optional<std::string> librarysText(std::string_view key) const;
    // What the application passes, where the library would prefer the file, or must not read it.
    std::optional<std::string> applicationsText(std::string_view key) const;

    const SettingsFile file_ = settingsFile();
    // What the application passes, and this for the library; nullptr: nothing.
    std::vector<VkLayerSettingEXT> passed_;
    VkLayerSettingsCreateInfoEXT info_ = {VK_STRUCTURE_TYPE_LAYER_SETTINGS_CREATE_INFO_EXT};
    const VkLayerSettingsCreateInfoEXT* first_ = nullptr;
    VkuLayerSettingSet set_ = VK_NULL_HANDLE;
};

}  // namespace coopvk::layer
