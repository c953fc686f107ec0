// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <optional>
#include <string_view>

namespace coopvk::layer {

enum class LogLevel { kOff, kError, kWarn, kInfo, kDebug };

inline constexpr std::string_view kLogLevelNames[] = {"off", "error", "warn", "info", "debug"};

inline std::optional<LogLevel> logLevelFromName(std::string_view name) {
    const auto* const found = std::ranges::find(kLogLevelNames, name);
    if (found == std::end(kLogLevelNames)) return std::nullopt;
    return static_cast<LogLevel>(found - kLogLevelNames);
}

}  // namespace coopvk::layer
