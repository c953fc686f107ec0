// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "files.hpp"

namespace coopvk::layer {

enum class LogLevel { kOff, kError, kWarn, kInfo, kDebug };

std::optional<LogLevel> logLevelFromName(std::string_view name);

// Writes whole lines, "coopvk: LEVEL: TEXT", to stderr or a file. Safe from any thread.
class Log {
 public:
    // An empty path, or one that cannot be opened, means stderr.
    Log(LogLevel level, const std::string& path);
    Log(const Log&) = delete;
    Log& operator=(const Log&) = delete;

    // Ask before building an expensive line.
    bool wants(LogLevel level) const { return level <= level_; }

    // Never throws, and allocates nothing. Text of several lines becomes as many lines.
    void write(LogLevel level, std::string_view text) noexcept;
    // One line made of pieces.
    void writePieces(LogLevel level, std::initializer_list<std::string_view> pieces) noexcept;
    void error(std::string_view text) noexcept { write(LogLevel::kError, text); }
    void warn(std::string_view text) noexcept { write(LogLevel::kWarn, text); }
    void info(std::string_view text) noexcept { write(LogLevel::kInfo, text); }
    void debug(std::string_view text) noexcept { write(LogLevel::kDebug, text); }

 private:
    LogLevel level_;
    FileDescriptor file_;  // none: stderr
    std::mutex mutex_;
};

}  // namespace coopvk::layer
