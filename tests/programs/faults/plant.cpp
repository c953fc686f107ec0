// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>
#include <map>
#include <regex>

#include "faults.hpp"

namespace coopvk::programs {
namespace {

// A line of the text of a module.
struct Line {
    std::string_view text;                // with its end
    std::vector<std::string_view> words;  // without comments

    std::string_view opcode() const { return word(isValue() ? 2 : 0); }
    bool isValue() const { return words.size() > 2 && words[1] == "="; }
    std::string_view result() const { return isValue() ? words[0] : ""; }
    // Behind the opcode.
    std::string_view operand(size_t index) const { return word((isValue() ? 3 : 1) + index); }

 private:
    std::string_view word(size_t index) const { return index < words.size() ? words[index] : ""; }
};

std::vector<std::string_view> wordsOf(std::string_view line) {
    std::vector<std::string_view> words;
    line = line.substr(0, line.find(';'));
    while (true) {
        line.remove_prefix(std::min(line.find_first_not_of(" \n"), line.size()));
        if (line.empty()) return words;
        words.push_back(line.substr(0, line.find_first_of(" \n")));
        line.remove_prefix(words.back().size());
    }
}

std::vector<Line> linesOf(std::string_view text) {
    std::vector<Line> lines;
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n') + 1);
        lines.push_back({line, wordsOf(line)});
        text.remove_prefix(line.size());
    }
    return lines;
}

// The text with some lines as `order` says, and one that is another.
std::string textOf(std::vector<Line> lines, size_t changed, const std::string& becomes) {
    std::string text;
    for (size_t i = 0; i < lines.size(); ++i) text += i == changed ? becomes : lines[i].text;
    return text;
}

std::string copyOf(const Line& line, std::string_view value) {
    return std::string(line.result()) + " = OpCopyObject " + std::string(line.operand(0)) + " " +
           std::string(value) + "\n";
}

bool endsBlock(const Line& line) {
    return line.opcode() == "OpLabel" || line.opcode() == "OpFunctionEnd";
}

// The base and the indices of a pointer, as text: equal ones lead to one place.
class Places {
 public:
    void note(const Line& line) {
        if (!line.opcode().ends_with("AccessChain")) return;
        const std::string_view base = line.operand(1);
        places_[line.result()] =
            line.text.substr(static_cast<size_t>(base.data() - line.text.data()));
    }
    std::string_view of(std::string_view pointer) const {
        const auto found = places_.find(pointer);
        return found == places_.end() ? pointer : found->second;
    }

 private:
    std::map<std::string_view, std::string_view> places_;
};

// Calls f(begin, end) with each line that has the name of an instruction that the pattern has:
// regular expressions are slow.
template <typename F>
void forLines(const std::string& text, std::string_view pattern, F&& f) {
    const size_t op = pattern.find("Op");
    const auto letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; };
    const auto end = std::find_if_not(pattern.begin() + std::ptrdiff_t(op), pattern.end(), letter);
    const std::string_view name(pattern.begin() + std::ptrdiff_t(op), end);
    for (size_t at = 0; (at = text.find(name, at)) != text.npos;) {
        const size_t before = text.rfind('\n', at);
        const size_t first = before == text.npos ? 0 : before + 1;
        at = std::min(text.find('\n', at), text.size() - 1) + 1;
        f(text.begin() + std::ptrdiff_t(first), text.begin() + std::ptrdiff_t(at));
    }
}

std::string edited(const std::string& text, const Edit& edit, const std::smatch& match) {
    std::string result(text.cbegin(), match[0].first);
    result += match.format(edit.replacement);
    result.append(match[0].second, text.cend());
    const std::string uint = "%uint = OpTypeInt 32 0\n";
    if (const size_t at = result.find(uint); at != std::string::npos)
        result.insert(at + uint.size(), edit.declarations);
    return result;
}

}  // namespace

std::vector<std::string> withoutRoundings(const std::string& text) {
    const std::vector<Line> lines = linesOf(text);
    std::map<std::string_view, std::string_view> converted;  // result, and from what
    std::vector<std::string> texts;
    for (size_t i = 0; i < lines.size(); ++i) {
        if (lines[i].opcode() == "OpQuantizeToF16")
            texts.push_back(textOf(lines, i, copyOf(lines[i], lines[i].operand(1))));
        if (lines[i].opcode() != "OpFConvert") continue;
        const auto from = converted.find(lines[i].operand(1));
        if (from != converted.end())
            texts.push_back(textOf(lines, i, copyOf(lines[i], from->second)));
        converted[lines[i].result()] = lines[i].operand(1);
    }
    return texts;
}

std::vector<std::string> withLateStores(const std::string& text) {
    std::vector<Line> lines = linesOf(text);
    Places places;
    std::vector<std::string> texts;
    for (size_t i = 0; i < lines.size(); ++i) {
        places.note(lines[i]);
        if (lines[i].opcode() != "OpStore") continue;
        const std::string_view place = places.of(lines[i].operand(0));
        Places later = places;
        for (size_t j = i + 1; j < lines.size() && !endsBlock(lines[j]); ++j) {
            later.note(lines[j]);
            if (lines[j].opcode() != "OpLoad" || later.of(lines[j].operand(1)) != place) continue;
            std::vector<Line> moved = lines;
            std::rotate(moved.begin() + static_cast<ptrdiff_t>(i),
                        moved.begin() + static_cast<ptrdiff_t>(i) + 1,
                        moved.begin() + static_cast<ptrdiff_t>(j) + 1);
            texts.push_back(textOf(std::move(moved), lines.size(), ""));
            break;
        }
    }
    return texts;
}

std::vector<std::string> withEarlierLoads(const std::string& text) {
    const std::vector<Line> lines = linesOf(text);
    struct Loaded {
        std::string_view value;
        bool isOld = false;  // something was stored since
    };
    std::map<std::string_view, Loaded> loaded;  // by place
    Places places;
    std::vector<std::string> texts;
    for (size_t i = 0; i < lines.size(); ++i) {
        if (endsBlock(lines[i])) loaded.clear();
        places.note(lines[i]);
        if (lines[i].opcode() == "OpStore" || lines[i].opcode().ends_with("Barrier"))
            for (auto& [place, of] : loaded) of.isOld = true;
        if (lines[i].opcode() != "OpLoad") continue;
        const auto [earlier, isFirst] =
            loaded.try_emplace(places.of(lines[i].operand(1)), Loaded{lines[i].result()});
        if (!isFirst && earlier->second.isOld)
            texts.push_back(textOf(lines, i, copyOf(lines[i], earlier->second.value)));
    }
    return texts;
}

std::string plant(const Fault& fault, const std::string& text, check::Random& random) {
    if (fault.editText != nullptr) {
        const std::vector<std::string> texts = fault.editText(text);
        return texts.empty() ? "" : texts[random.below(texts.size())];
    }
    struct Place {
        const Edit* edit;
        std::smatch match;
    };
    std::vector<Place> places;
    for (const Edit& edit : fault.edits) {
        const std::regex pattern(edit.pattern, std::regex::multiline);
        forLines(text, edit.pattern, [&](auto first, auto last) {
            for (std::sregex_iterator at(first, last, pattern), end; at != end; ++at)
                places.push_back({&edit, *at});
        });
    }
    if (places.empty()) return "";
    const Place& place = places[random.below(places.size())];
    return edited(text, *place.edit, place.match);
}

}  // namespace coopvk::programs
