// SPDX-License-Identifier: Apache-2.0
#include "system/program.hpp"

#include <algorithm>
#include <charconv>

#include "system/system.hpp"
#include "system/text.hpp"

namespace coopvk::layer {
namespace {

// The name as part of a path: without separators, and not a hidden file.
std::string nameInPath() {
    std::string name(system::programName());
    std::ranges::replace_if(name, [](char c) { return c == '/' || isControl(c); }, '_');
    if (name.empty() || name.front() == '.') name.insert(name.begin(), '_');
    return name;
}

}  // namespace

ProgramTag::ProgramTag() noexcept {
    constexpr size_t kRoomForNumber = 16;
    std::string_view name = system::programName().substr(0, text_.size() - kRoomForNumber);
    while (!name.empty()) {
        const size_t plain = std::min(findUnprintable(name), name.size());
        size_ += name.copy(text_.data() + size_, plain);
        name.remove_prefix(plain);
        if (name.empty()) break;
        text_[size_++] = '?';
        name.remove_prefix(1);
    }
    text_[size_++] = '[';
    const auto end =
        std::to_chars(text_.data() + size_, text_.data() + text_.size(), system::processId());
    size_ = static_cast<size_t>(end.ptr - text_.data());
    text_[size_++] = ']';
}

std::string expandPath(std::string_view path) {
    std::string expanded;
    for (size_t i = 0; i < path.size(); ++i) {
        const char next = path[i] == '%' && i + 1 < path.size() ? path[i + 1] : '\0';
        if (next == 'p') {
            expanded += std::to_string(system::processId());
        } else if (next == 'n') {
            expanded += nameInPath();
        } else if (next == '%') {
            expanded += '%';
        } else {
            expanded += path[i];
            continue;
        }
        ++i;
    }
    return expanded;
}

}  // namespace coopvk::layer
