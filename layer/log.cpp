// SPDX-License-Identifier: Apache-2.0
#include "log.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

namespace coopvk::layer {
namespace {

constexpr std::array<std::string_view, 5> kNames = {"off", "error", "warn", "info", "debug"};

void writeAll(int file, std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = ::write(file, text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return;
        text.remove_prefix(static_cast<size_t>(written));
    }
}

}  // namespace

std::optional<LogLevel> logLevelFromName(std::string_view name) {
    for (size_t i = 0; i < kNames.size(); ++i) {
        if (name == kNames[i]) return static_cast<LogLevel>(i);
    }
    return std::nullopt;
}

Log::Log(LogLevel level, const std::string& path) : level_(level), file_(STDERR_FILENO) {
    if (path.empty() || level == LogLevel::kOff) return;
    // Appending, so that several instances and processes can share a file.
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (file >= 0) {
        file_ = file;
    } else {
        warn("cannot open log file '" + path + "'");
    }
}

Log::~Log() {
    if (file_ != STDERR_FILENO) ::close(file_);
}

void Log::write(LogLevel level, std::string_view text) noexcept {
    if (level == LogLevel::kOff || !wants(level)) return;
    try {
        const std::string_view name = kNames[static_cast<size_t>(level)];
        std::string lines;
        lines.reserve(text.size() + 32);
        // One prefix for each line, so that text of several lines stays greppable.
        while (!text.empty()) {
            const size_t end = text.find('\n');
            lines.append("coopvk: ").append(name).append(": ").append(text.substr(0, end));
            lines.push_back('\n');
            text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
        }
        const std::scoped_lock lock(mutex_);
        writeAll(file_, lines);
    } catch (...) {
        // Nothing to say it with.
    }
}

}  // namespace coopvk::layer
