// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <mutex>
#include <string>
#include <string_view>

#include "settings/log_level.hpp"
#include "system/files.hpp"

namespace coopvk::layer {

// Gets each complete message, also at levels that the log leaves out. May be called from any
// thread, and must not throw.
class LogListener {
 public:
    virtual ~LogListener() = default;
    virtual void heard(LogLevel level, std::string_view text) noexcept = 0;
};

// Writes whole lines, "coopvk: LEVEL: PROGRAM[PROCESS]: TEXT", to stderr or a file. Safe from any
// thread.
class Log {
 public:
    // An empty path, or one that cannot be opened, means stderr.
    Log(LogLevel level, const std::string& path);
    Log(const Log&) = delete;
    Log& operator=(const Log&) = delete;

    // Call this before several threads use the log. The listener must live as long as the log.
    void setListener(LogListener* listener) { listener_ = listener; }

    // Call this before building an expensive line.
    bool wants(LogLevel level) const { return level <= level_; }

    // Never throws. Text of several lines becomes as many lines. Allocates nothing, unless there
    // are characters to replace that terminals may take for commands: see printable().
    void write(LogLevel level, std::string_view text) noexcept;
    // One line made of pieces.
    void writePieces(LogLevel level, std::initializer_list<std::string_view> pieces) noexcept;
    void error(std::string_view text) noexcept { write(LogLevel::kError, text); }
    void warn(std::string_view text) noexcept { write(LogLevel::kWarn, text); }
    void info(std::string_view text) noexcept { write(LogLevel::kInfo, text); }
    void debug(std::string_view text) noexcept { write(LogLevel::kDebug, text); }

 private:
    void writePrintable(LogLevel level, std::string_view text) noexcept;
    void tell(LogLevel level, std::string_view text) noexcept;
    void putLine(LogLevel level, std::initializer_list<std::string_view> pieces) noexcept;

    LogLevel level_;
    LogListener* listener_ = nullptr;
    FileDescriptor file_;  // none: stderr
    std::mutex mutex_;
};

}  // namespace coopvk::layer
