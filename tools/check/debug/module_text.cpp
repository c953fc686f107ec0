// SPDX-License-Identifier: Apache-2.0
#include "check/debug/module_text.hpp"

#include <spirv-tools/libspirv.h>

#include <charconv>
#include <memory>
#include <optional>
#include <sstream>

namespace coopvk::tool {
namespace {

std::string textOf(std::span<const uint32_t> words, uint32_t options) {
    const std::unique_ptr<spv_context_t, decltype(&spvContextDestroy)> context(
        spvContextCreate(SPV_ENV_UNIVERSAL_1_6), spvContextDestroy);
    spv_text text = nullptr;
    const auto result =
        spvBinaryToText(context.get(), words.data(), words.size(),
                        SPV_BINARY_TO_TEXT_OPTION_NO_HEADER | options, &text, nullptr);
    std::string string = result == SPV_SUCCESS && text != nullptr ? text->str : "";
    spvTextDestroy(text);
    return string;
}

// Takes the offset from the end of a line: "... ; 0x00000014". Nothing: the line has none.
std::optional<uint32_t> takeWord(std::string& line) {
    const size_t at = line.rfind("; 0x");
    uint32_t offset = 0;
    if (at == std::string::npos ||
        std::from_chars(line.data() + at + 4, line.data() + line.size(), offset, 16).ec !=
            std::errc())
        return std::nullopt;
    line.erase(line.find_last_not_of(' ', at - 1) + 1);
    return offset / 4;
}

std::vector<std::string> idsIn(const std::string& line) {
    std::vector<std::string> ids;
    bool isString = false;
    for (size_t i = 0; i < line.size(); ++i) {
        if (line[i] == '"' && (i == 0 || line[i - 1] != '\\')) isString = !isString;
        if (isString || line[i] != '%') continue;
        const size_t end = std::min(line.find_first_of(" )", i), line.size());
        ids.push_back(line.substr(i + 1, end - i - 1));
        i = end;
    }
    return ids;
}

std::optional<uint32_t> numberOf(const std::string& text) {
    uint32_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return number;
}

}  // namespace

ModuleText::ModuleText(std::span<const uint32_t> words) {
    if (words.size() > 3) bound_ = words[3];
    std::istringstream plain(textOf(words, SPV_BINARY_TO_TEXT_OPTION_SHOW_BYTE_OFFSET));
    std::istringstream friendly(textOf(words, SPV_BINARY_TO_TEXT_OPTION_SHOW_BYTE_OFFSET |
                                                  SPV_BINARY_TO_TEXT_OPTION_FRIENDLY_NAMES));
    std::string first, second;
    while (std::getline(plain, first) && std::getline(friendly, second)) {
        const auto word = takeWord(first);
        if (!word || takeWord(second) != word) continue;
        nameIds(first, second);
        texts_[*word] = second;
    }
}

void ModuleText::nameIds(const std::string& plain, const std::string& friendly) {
    const std::vector<std::string> numbers = idsIn(plain), names = idsIn(friendly);
    for (size_t i = 0; i < numbers.size() && numbers.size() == names.size(); ++i) {
        const auto id = numberOf(numbers[i]);
        if (!id || numbers[i] == names[i]) continue;
        ids_[names[i]] = *id;
        names_[*id] = names[i];
    }
}

const std::string& ModuleText::at(uint32_t word) const {
    static const std::string none;
    const auto found = texts_.find(word);
    return found != texts_.end() ? found->second : none;
}

uint32_t ModuleText::id(const std::string& name) const {
    const std::string bare = name.starts_with('%') ? name.substr(1) : name;
    const auto found = ids_.find(bare);
    if (found != ids_.end()) return found->second;
    const auto number = numberOf(bare);
    return number && *number < bound_ ? *number : 0;
}

std::string ModuleText::name(uint32_t id) const {
    const auto found = names_.find(id);
    return "%" + (found != names_.end() ? found->second : std::to_string(id));
}

}  // namespace coopvk::tool
