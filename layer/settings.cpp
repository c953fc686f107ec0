// SPDX-License-Identifier: Apache-2.0
#include "settings.hpp"

#include <cstdlib>
#include <memory>
#include <optional>
#include <vulkan/layer/vk_layer_settings.hpp>

#include "pnext.hpp"

namespace coopvk::layer {
namespace {

// Settings name files to write, so a program with elevated rights does not take them from its
// caller's environment.
const char* environment(const char* name) {
#ifdef __GLIBC__
    return secure_getenv(name);
#else
    return std::getenv(name);
#endif
}

void ignoreMessage(const char*, const char*) {}

// The settings library's set, for one call.
class SettingSet {
 public:
    explicit SettingSet(const VkInstanceCreateInfo* createInfo) {
        const auto* first = findNode<VkLayerSettingsCreateInfoEXT>(
            createInfo == nullptr ? nullptr : createInfo->pNext,
            VK_STRUCTURE_TYPE_LAYER_SETTINGS_CREATE_INFO_EXT);
        if (vkuCreateLayerSettingSet(kLayerName, first, nullptr, ignoreMessage, &set_) !=
            VK_SUCCESS) {
            set_ = VK_NULL_HANDLE;
        }
    }
    ~SettingSet() {
        if (set_ != VK_NULL_HANDLE) vkuDestroyLayerSettingSet(set_, nullptr);
    }
    SettingSet(const SettingSet&) = delete;
    SettingSet& operator=(const SettingSet&) = delete;

    // As text, whichever way it was given. A list of strings becomes a comma list.
    std::optional<std::string> text(const char* name, const char* shortVariable) const {
        if (const char* value = environment(shortVariable)) return value;
        if (set_ == VK_NULL_HANDLE || !vkuHasLayerSetting(set_, name)) return std::nullopt;
        std::vector<std::string> values;
        if (vkuGetLayerSettingValues(set_, name, values) != VK_SUCCESS) return std::nullopt;
        std::string joined;
        for (const std::string& value : values) {
            if (!joined.empty()) joined += ',';
            joined += value;
        }
        return joined;
    }

    std::optional<bool> boolean(const char* name, const char* shortVariable,
                                std::vector<std::string>& complaints) const {
        if (const char* value = environment(shortVariable)) {
            const std::string_view text = value;
            if (text == "1" || text == "true") return true;
            if (text == "0" || text == "false" || text.empty()) return false;
            complaints.push_back(std::string(shortVariable) + ": neither true nor false");
            return std::nullopt;
        }
        if (set_ == VK_NULL_HANDLE || !vkuHasLayerSetting(set_, name)) return std::nullopt;
        bool value = false;
        if (vkuGetLayerSettingValue(set_, name, value) != VK_SUCCESS) return std::nullopt;
        return value;
    }

 private:
    VkuLayerSettingSet set_ = VK_NULL_HANDLE;
};

}  // namespace

Settings loadSettings(const VkInstanceCreateInfo* createInfo,
                      std::vector<std::string>& complaints) {
    const SettingSet set(createInfo);
    Settings settings;
    if (auto text = set.text("emulate", "COOPVK_EMULATE")) {
        settings.emulate = EmulatePolicy::parse(*text, complaints);
        settings.emulateText = std::move(*text);
    }
    if (const auto text = set.text("back_end", "COOPVK_BACK_END"); text && !text->empty()) {
        if (const auto backEnd = rewrite::backEndFromName(*text)) {
            settings.backEnd = *backEnd;
        } else {
            complaints.push_back("setting back_end: unknown back-end '" + *text + "'");
        }
    }
    if (const auto text = set.text("log_level", "COOPVK_LOG_LEVEL"); text && !text->empty()) {
        if (const auto level = logLevelFromName(*text)) {
            settings.logLevel = *level;
        } else {
            complaints.push_back("setting log_level: unknown level '" + *text + "'");
        }
    }
    settings.logFile = set.text("log_file", "COOPVK_LOG_FILE").value_or("");
    settings.dumpDir = set.text("dump_dir", "COOPVK_DUMP_DIR").value_or("");
    settings.validateOutput =
        set.boolean("validate_output", "COOPVK_VALIDATE_OUTPUT", complaints).value_or(false);
    return settings;
}

}  // namespace coopvk::layer
