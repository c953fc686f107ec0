// SPDX-License-Identifier: Apache-2.0
#include "check/debug/show.hpp"

#include <algorithm>
#include <format>
#include <vector>

namespace coopvk::tool {
namespace {

using reference::LaneMask;
using reference::ShownElement;
using reference::ShownValue;

// What a terminal shows.
constexpr uint32_t kMostRows = 64, kMostColumns = 32, kMostComponents = 64;

std::string rangeText(uint32_t first, uint32_t last) {
    return first == last ? std::to_string(first) : std::format("{}-{}", first, last);
}

std::string laneText(const ShownValue& value, uint32_t lane) {
    std::string text;
    const uint32_t count = std::min(value.components, kMostComponents);
    for (uint32_t c = 0; c < count; ++c)
        text += (c == 0 ? "" : " ") + textOf(value.numbers[size_t{c} * value.lanes + lane]);
    return count < value.components ? text + " ..." : text;
}

}  // namespace

std::string lanesText(LaneMask lanes) {
    std::string text;
    for (uint32_t first = 0; first < reference::kMaxLanes; ++first) {
        if (!lanes.test(first)) continue;
        uint32_t last = first;
        while (last + 1 < reference::kMaxLanes && lanes.test(last + 1)) ++last;
        text += (text.empty() ? "" : ", ") + rangeText(first, last);
        first = last;
    }
    return text.empty() ? "none" : text;
}

std::string tableText(const ShownValue& matrix, const CellText& cell) {
    const uint32_t rows = std::min(matrix.rows, kMostRows);
    const uint32_t columns = std::min(matrix.columns, kMostColumns);
    std::vector<std::string> cells;
    size_t width = std::to_string(columns - 1).size() + 1;
    for (uint32_t r = 0; r < rows; ++r)
        for (uint32_t c = 0; c < columns; ++c) {
            const ShownElement& element = matrix.elements[size_t{r} * matrix.columns + c];
            cells.push_back(element.isHeld ? cell(element) : ". ");
            width = std::max(width, cells.back().size());
        }
    std::string text = "    ";
    for (uint32_t c = 0; c < columns; ++c) text += std::format(" {:>{}}", c, width - 1) + " ";
    text.erase(text.find_last_not_of(' ') + 1);
    text += columns < matrix.columns ? " ...\n" : "\n";
    for (uint32_t r = 0; r < rows; ++r) {
        std::string line = std::format("{:>3}:", r);
        for (uint32_t c = 0; c < columns; ++c)
            line += std::format(" {:>{}}", cells[size_t{r} * columns + c], width);
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + "\n";
    }
    return rows < matrix.rows ? text + "...\n" : text;
}

std::string matrixText(const ShownValue& matrix) {
    std::string text = tableText(matrix, [](const ShownElement& element) {
        return textOf(element) + (element.otherCopy ? '!' : ' ');
    });
    const auto other = std::ranges::find_if(
        matrix.elements, [](const ShownElement& element) { return element.otherCopy.has_value(); });
    if (other == matrix.elements.end()) return text;
    const auto at = static_cast<size_t>(other - matrix.elements.begin());
    const char* who = matrix.ofWorkgroup ? "invocation" : "lane";
    return text + std::format(
                      "! lanes have different copies: of [{},{}], {} {} has another one "
                      "than {} {}\n",
                      at / matrix.columns, at % matrix.columns, who, *other->otherCopy, who,
                      other->invocation);
}

std::string numbersText(const ShownValue& value, LaneMask active, LaneMask all) {
    std::string text;
    for (uint32_t first = 0; first < value.lanes; ++first) {
        if (!all.test(first)) continue;
        const std::string own = laneText(value, first);
        const bool isActive = active.test(first);
        uint32_t last = first;
        while (last + 1 < value.lanes && all.test(last + 1) && active.test(last + 1) == isActive &&
               laneText(value, last + 1) == own)
            ++last;
        text += std::format("  {} {}: {}{}\n", first == last ? "lane" : "lanes",
                            rangeText(first, last), own, isActive ? "" : " (not active)");
        first = last;
    }
    return text;
}

std::string holdersText(const ShownValue& matrix) {
    std::string text = tableText(matrix, [](const ShownElement& element) {
        return std::to_string(element.invocation) + (element.copies != 0 ? '+' : ' ');
    });
    const bool hasCopies = std::ranges::any_of(
        matrix.elements, [](const ShownElement& element) { return element.copies != 0; });
    if (hasCopies) return text + "+ others hold it, too";
    text.pop_back();
    return text;
}

std::string holderText(const ShownValue& matrix, const ShownElement& element) {
    if (!element.isHeld) return "nobody";
    std::string text =
        std::format("{} {}, component {}", matrix.ofWorkgroup ? "invocation" : "lane",
                    element.invocation, element.component);
    if (element.copies != 0) text += std::format(", and {} others", element.copies);
    return text;
}

}  // namespace coopvk::tool
