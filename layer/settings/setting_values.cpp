// SPDX-License-Identifier: Apache-2.0
//
// Settings from their texts.
#include <charconv>

#include "settings/settings.hpp"
#include "system/text.hpp"

namespace coopvk::layer {
namespace {

// A number and what follows it; nothing if there is no number.
std::optional<uint64_t> takeNumber(std::string_view& text) {
    uint64_t number = 0;
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
    if (parsed.ec != std::errc()) return std::nullopt;
    text.remove_prefix(static_cast<size_t>(parsed.ptr - text.data()));
    return number;
}

// A number, with K, M or G behind it for this base and its powers; nullopt also if 64 bits do not
// hold it.
std::optional<uint64_t> takeAmount(std::string_view& text, uint64_t base) {
    constexpr std::string_view kUnits = "KMG";
    auto amount = takeNumber(text);
    if (!amount) return std::nullopt;
    const size_t unit = text.empty() ? kUnits.npos : kUnits.find(text.front());
    if (unit == kUnits.npos) return amount;
    for (size_t i = 0; i <= unit; ++i) {
        if (*amount > UINT64_MAX / base) return std::nullopt;
        *amount *= base;
    }
    text.remove_prefix(1);
    return amount;
}

}  // namespace

std::optional<DumpedInputs> dumpedInputsFromText(std::string_view text) {
    DumpedInputs inputs;
    const auto bytes = takeAmount(text, 1024);
    if (!bytes) return std::nullopt;
    inputs.bytes = *bytes;
    if (text.starts_with(',')) {
        text.remove_prefix(1);
        const auto dispatches = takeNumber(text);
        if (!dispatches || *dispatches > UINT32_MAX) return std::nullopt;
        inputs.dispatches = static_cast<uint32_t>(*dispatches);
    }
    return text.empty() ? std::optional(inputs) : std::nullopt;
}

std::optional<bool> booleanFromText(std::string_view text) {
    const std::string lower = lowerCase(text);
    if (lower == "1" || lower == "true") return true;
    if (lower == "0" || lower == "false") return false;
    return std::nullopt;
}

std::optional<uint64_t> stepsFromText(std::string_view text) {
    const auto steps = takeAmount(text, 1000);
    return text.empty() ? steps : std::nullopt;
}

}  // namespace coopvk::layer
