// SPDX-License-Identifier: Apache-2.0
#include "report/log.hpp"

#include <array>
#include <span>

#include "system/program.hpp"
#include "system/text.hpp"

namespace coopvk::layer {
namespace {

constexpr size_t kMaxPiecesText = 512;  // for the listener, who needs no more

}  // namespace

Log::Log(LogLevel level, const std::string& path) : level_(level) {
    if (path.empty() || level == LogLevel::kOff) return;
    // Appending, so that several instances and processes can share a file.
    auto file = openForAppending(path, IfMissing::kCreate);
    if (file) {
        file_ = std::move(*file);
    } else {
        warn("cannot append to '" + path + "': " + file.error().message);
    }
}

void Log::tell(LogLevel level, std::string_view text) noexcept {
    if (listener_ != nullptr && level != LogLevel::kOff && !text.empty()) {
        listener_->heard(level, text);
    }
}

// What others wrote may be in a message: names in shaders, of programs, of files.
void Log::write(LogLevel level, std::string_view text) noexcept {
    constexpr std::string_view kAllowed = "\n\t";
    const size_t unprintable = findUnprintable(text, kAllowed);
    if (unprintable == text.npos) return writePrintable(level, text);
    try {
        return writePrintable(level, printable(text, kAllowed));
    } catch (...) {  // no memory
        return writePrintable(level, text.substr(0, unprintable));
    }
}

void Log::writePrintable(LogLevel level, std::string_view text) noexcept {
    tell(level, text);
    // One prefix for each line, so that text of several lines stays greppable.
    while (!text.empty()) {
        putLine(level, {takeUntil('\n', text)});
    }
}

void Log::writePieces(LogLevel level, std::initializer_list<std::string_view> pieces) noexcept {
    if (listener_ != nullptr) {
        std::array<char, kMaxPiecesText> text;
        size_t size = 0;
        for (const std::string_view piece : pieces) {
            size += piece.copy(text.data() + size, text.size() - size);
        }
        tell(level, {text.data(), size});
    }
    putLine(level, pieces);
}

void Log::putLine(LogLevel level, std::initializer_list<std::string_view> pieces) noexcept {
    if (level == LogLevel::kOff || !wants(level)) return;
    // More pieces than any line has, with its prefix and its end.
    std::array<std::string_view, kMaxPieces> line;
    size_t count = 0;
    const auto add = [&](std::string_view piece) {
        if (!piece.empty()) line[count++] = piece;
    };
    const ProgramTag program;
    add("coopvk: ");
    add(kLogLevelNames[static_cast<size_t>(level)]);
    add(": ");
    add(program.text());
    add(": ");
    for (std::string_view piece : pieces) {
        if (count + 1 < kMaxPieces) add(piece);
    }
    add("\n");
    const std::scoped_lock lock(mutex_);
    layer::writePieces(file_.isOpen() ? file_.number() : kErrorStream,
                       std::span(line).first(count));
}

}  // namespace coopvk::layer
