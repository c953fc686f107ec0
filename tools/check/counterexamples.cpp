// SPDX-License-Identifier: Apache-2.0
#include "counterexamples.hpp"

#include <algorithm>
#include <chrono>
#include <format>
#include <memory>
#include <utility>

namespace coopvk::check {

std::optional<Counterexample> Counterexamples::with(const Options& check) const {
    for (Outcome& shown : coopvk::check::check(subject_, check))
        if (isFault(shown.verdict)) return Counterexample{std::move(shown), {}};
    return std::nullopt;
}

// With this memory, whole and as it is.
std::optional<Counterexample> Counterexamples::in(Memory memory) const {
    Options check = check_;
    check.schedules = {reference::Choice::kPlain};
    check.moreValues = check.moreSpecials = check.moreParameters = check.moreGroups = false;
    if (memory.given != nullptr) {
        auto given = std::make_shared<Given>(*memory.given);
        given->after.clear();  // of other contents
        // Buffers may share bytes.
        const auto contents = contentsOf(memory, given->regions);
        for (size_t b = 0; b < contents.size(); ++b) memory.buffers[b].bytes = contents[b];
        memory.given = std::move(given);
    }
    check.memory.whole = std::make_shared<const Memory>(std::move(memory));
    return with(check);
}

// Writes bits of symbols; in words those that were others.
std::string Counterexamples::fill(std::span<const reference::KnownBits> bits,
                                  Memory& memory) const {
    constexpr int kMostBytes = 16;
    std::string text;
    int count = 0;
    std::optional<std::pair<size_t, size_t>> next;  // byte, by buffer
    std::shared_ptr<Given> given;
    if (memory.given != nullptr) given = std::make_shared<Given>(*memory.given);
    for (const auto& [of, values] : bits)
        for (size_t b = 0; b < memory.buffers.size(); ++b) {
            const auto& all = symbolic_.deviations()[b];
            // Consecutive bytes have consecutive symbols.
            const auto found = std::ranges::find(all, of.byte);
            if (found == all.end()) continue;
            const auto offset = size_t(found - all.begin());
            const auto& range = memory.buffers[b].range;
            std::byte& byte = given != nullptr && range
                                  ? given->regions[range->region][range->offset + offset]
                                  : memory.buffers[b].bytes[offset];
            const std::byte old = byte;
            byte = (byte & std::byte(~of.bits)) | std::byte(values & of.bits);
            if (byte == old) continue;
            memory.buffers[b].bytes[offset] = byte;
            if (++count > kMostBytes) continue;
            if (std::exchange(next, std::pair(b, offset + 1)) != std::pair(b, offset))
                text += std::format("{}{}, byte {}:", text.empty() ? "" : "; ",
                                    memory.buffers[b].name, offset);
            text += std::format(" {:#04x}", uint8_t(byte));
        }
    if (given != nullptr) memory.given = std::move(given);
    if (count > kMostBytes) text += std::format("; and {} bytes more", count - kMostBytes);
    return text;
}

// With contents of memory that turn a condition which the proof met.
std::optional<Counterexample> Counterexamples::solved() const {
    constexpr size_t kMostSolved = 32;
    constexpr std::chrono::seconds kLongest{20};
    const auto start = std::chrono::steady_clock::now();
    for (const auto& bits : symbols_.otherContents(kMostSolved)) {
        if (std::chrono::steady_clock::now() - start > kLongest) return std::nullopt;
        Memory memory = failed_;
        std::string contents = fill(bits, memory);
        if (contents.empty()) continue;
        auto found = in(std::move(memory));
        if (!found) continue;
        found->contents = std::move(contents);
        return found;
    }
    return std::nullopt;
}

std::optional<Counterexample> Counterexamples::find() const {
    // Where each execution shows it, no byte matters.
    if (auto found = in(failed_)) return found;
    if (auto found = solved()) return found;
    Options check = check_;
    check.moreValues = check.moreSpecials = true;
    return with(check);
}

}  // namespace coopvk::check
