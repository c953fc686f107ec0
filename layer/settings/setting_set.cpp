// SPDX-License-Identifier: Apache-2.0
#include "settings/setting_set.hpp"

#include <algorithm>
#include <span>

#include "chain/pnext.hpp"
#include "settings/configuration.hpp"
#include "settings/setting_table.hpp"
#include "system/program.hpp"
#include "system/system.hpp"
#include "system/text.hpp"

namespace coopvk::layer {
namespace {

// Those that name what the layer writes, or how much of an application's data.
constexpr std::string_view kWritingSettings[] = {"log_file", "dump_dir", "dump_inputs",
                                                 "statistics"};

void ignoreMessage(const char*, const char*) {}

// A list of strings becomes a comma list.
std::string joined(const auto& values) {
    std::string list;
    for (const auto& value : values) {
        if (!list.empty()) list += ',';
        list += value;
    }
    return list;
}

}  // namespace

SettingSet::SettingSet(const VkInstanceCreateInfo* createInfo) {
    constexpr auto kType = VK_STRUCTURE_TYPE_LAYER_SETTINGS_CREATE_INFO_EXT;
    const void* next = createInfo == nullptr ? nullptr : createInfo->pNext;
    while (const auto* info = findNode<VkLayerSettingsCreateInfoEXT>(next, kType)) {
        for (const VkLayerSettingEXT& one : std::span(info->pSettings, info->settingCount)) {
            // The library compares the names of all.
            if (one.pLayerName != nullptr && one.pSettingName != nullptr) passed_.push_back(one);
        }
        next = info->pNext;
    }
    info_.settingCount = static_cast<uint32_t>(passed_.size());
    info_.pSettings = passed_.data();
    if (!passed_.empty()) first_ = &info_;
    if (!file_.isReadable()) return;  // the library would read it
    if (vkuCreateLayerSettingSet(kLayerName, first_, nullptr, ignoreMessage, &set_) != VK_SUCCESS) {
        set_ = VK_NULL_HANDLE;
    }
}

SettingSet::~SettingSet() {
    if (set_ != VK_NULL_HANDLE) vkuDestroyLayerSettingSet(set_, nullptr);
}

SettingFound SettingSet::find(const SettingInfo& setting,
                              const ConfiguredSettings& configured) const {
    if (const auto value = system::trustedVariable(setting.variable)) {
        return {*value, setting.variable};
    }
    // The library does not say whether a value is from a variable or from its file.
    const std::string variable = libraryVariable(setting);
    const auto librarys = system::trustedVariable(variable.c_str());
    const bool isInVariable = librarys && !librarys->empty();
    if (const auto& value = configured[setting]; value && !isInVariable) {
        return {value->text, value->origin};
    }
    const bool readsFile = !isInVariable && !isDistrusted(setting);
    auto text = readsFile ? file_.markedValue(setting.key) : std::nullopt;
    if (!text && set_ == VK_NULL_HANDLE && isInVariable) text = librarys;
    if (!text)
        text = set_ != VK_NULL_HANDLE && (isInVariable || readsFile)
                   ? librarysText(setting.key)
                   : applicationsText(setting.key);
    if (text) return {*text, isInVariable ? variable : kSettingsFile};
    return {std::string(setting.standard), kDefaultOrigin};
}

void SettingSet::complainOfFile(std::vector<std::string>& complaints) const {
    if (!file_.isReadable()) {
        complaints.push_back(shortened(file_.path) +
                             ": is no file of at most 1 MiB, so no setting of it counts");
    }
    const std::string text = file_.text();
    findUnknownKeys(text, complaints);
    for (const SettingInfo& setting : kSettings) {
        if (!isDistrusted(setting) || !hasKey(text, setting)) continue;
        complaints.push_back("setting " + std::string(setting.key) +
                             ": has no effect in the vk_layer_settings.txt of the current "
                             "folder, which may be anybody's, unless VK_LAYER_SETTINGS_PATH "
                             "names the folder");
    }
}

std::vector<const char*> SettingSet::unknown() const {
    std::vector<const char*> known, names;
    for (const SettingInfo& setting : kSettings) known.push_back(setting.key.data());
    if (set_ == VK_NULL_HANDLE || first_ == nullptr ||
        vkuGetUnknownSettings(set_, static_cast<uint32_t>(known.size()), known.data(), first_,
                              names) != VK_SUCCESS) {
        names.clear();
    }
    return names;
}

bool SettingSet::isDistrusted(const SettingInfo& setting) const {
    return file_.isOfCurrentFolder && std::ranges::count(kWritingSettings, setting.key) != 0;
}

std::optional<std::string> SettingSet::librarysText(std::string_view key) const {
    std::vector<std::string> values;
    if (!vkuHasLayerSetting(set_, key.data()) ||
        vkuGetLayerSettingValues(set_, key.data(), values) != VK_SUCCESS) {
        return std::nullopt;
    }
    return joined(values);
}

std::optional<std::string> SettingSet::applicationsText(std::string_view key) const {
    for (const VkLayerSettingEXT& one : passed_) {
        if (one.pLayerName != std::string_view(kLayerName) || one.pSettingName != key ||
            one.valueCount == 0) {
            continue;
        }
        if (one.type == VK_LAYER_SETTING_TYPE_BOOL32_EXT)
            return *static_cast<const VkBool32*>(one.pValues) ? "true" : "false";
        if (one.type == VK_LAYER_SETTING_TYPE_STRING_EXT)
            return joined(std::span(static_cast<const char* const*>(one.pValues), one.valueCount));
    }
    return std::nullopt;
}

}  // namespace coopvk::layer
