// SPDX-License-Identifier: Apache-2.0
#include "check/debug/memory_text.hpp"

#include <algorithm>
#include <format>

namespace coopvk::tool {
namespace {

constexpr uint64_t kMostNumbers = 4096;
constexpr size_t kInLine = 8;

struct Found {
    uint64_t offset = 0;
    check::Format format;
};

std::vector<Found> numbersFrom(const check::Replay& replay, const NamedBytes& place, uint64_t count,
                               uint64_t end) {
    std::vector<Found> found;
    if (place.buffer) {
        const check::Module module(replay.native.words, {});
        check::visitNumbers(module, replay.memory.buffers[*place.buffer],
                            [&](uint64_t offset, const check::Format& format) {
                                if (offset + format.bytes() > place.offset && found.size() < count)
                                    found.push_back({offset, format});
                            });
    }
    for (uint64_t at = place.offset; !place.buffer && found.size() < count && at + 4 <= end;
         at += 4)
        found.push_back({at, {}});
    return found;
}

}  // namespace

std::string memoryText(const check::Replay& replay, const NamedBytes& place, uint64_t count,
                       std::span<const std::byte> bytes) {
    std::string text;
    size_t inLine = 0;
    for (const auto& [offset, format] :
         numbersFrom(replay, place, std::min(count, kMostNumbers), bytes.size())) {
        if (offset + format.bytes() > bytes.size()) break;
        if (inLine++ % kInLine == 0)
            text += std::format("{}byte {}:", text.empty() ? "" : "\n", offset);
        text += std::format(" {:.6g}",
                            check::valueOf(format, check::readBits(bytes.data() + offset, format)));
    }
    return text.empty() ? "no number is there" : text;
}

}  // namespace coopvk::tool
