// SPDX-License-Identifier: Apache-2.0
//
// The settings that the layer's manifest lists, for the layer and for the command line tool.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string_view>

namespace coopvk::layer {

struct SettingInfo {
    std::string_view key;       // "log_level"
    const char* variable;       // of the environment: "COOPVK_LOG_LEVEL"
    std::string_view type;      // as in the manifest: STRING, ENUM, BOOL, SAVE_FILE, ...
    std::string_view standard;  // the value if nothing is set
    std::string_view label;
    std::string_view description;
    static constexpr size_t kMaxValues = 8;
    std::array<std::string_view, kMaxValues> valueList = {};  // of an ENUM

    constexpr std::span<const std::string_view> values() const {
        size_t count = 0;
        while (count < kMaxValues && !valueList[count].empty()) ++count;
        return std::span(valueList).first(count);
    }
};

inline constexpr SettingInfo kSettings[] = {
#define COOPVK_SETTING(...) {__VA_ARGS__},
#include "setting_rows.inc"
#undef COOPVK_SETTING
};

constexpr const SettingInfo* findSetting(std::string_view key) {
    const auto* found = std::ranges::find(kSettings, key, &SettingInfo::key);
    return found != std::end(kSettings) ? found : nullptr;
}

}  // namespace coopvk::layer
