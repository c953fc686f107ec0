// SPDX-License-Identifier: Apache-2.0
#include "check/debug/breakpoints.hpp"

#include <algorithm>
#include <bit>
#include <format>

#include "check/debug/words.hpp"
#include "failure.hpp"

namespace coopvk::tool {
namespace {

using rewrite::Result;

// Whether an instruction's text has the name: its opcode, or that of an extended set.
bool isOf(const std::string& text, const std::string& name) {
    const std::vector<std::string> tokens = split(text, ' ');
    const size_t opcode = tokens.size() > 1 && tokens[1] == "=" ? 2 : 0;
    if (tokens.size() <= opcode) return false;
    if (tokens[opcode] == name) return true;
    return tokens[opcode] == "OpExtInst" && tokens.size() > opcode + 3 &&
           tokens[opcode + 3] == name;
}

std::vector<uint32_t> wordsNamed(const Debuggee& side, const std::string& name) {
    std::vector<uint32_t> words;
    for (const auto& [word, text] : side.text.instructions())
        if (isOf(text, name)) words.push_back(word);
    return words;
}

// Where the rewritten module ends what an instruction of the original has become.
std::vector<uint32_t> wordsFrom(const Debuggee& side, const std::vector<uint32_t>& origins) {
    std::vector<uint32_t> words;
    for (const uint32_t origin : origins) {
        const auto more = reference::wordsOfLine(side.program(), std::format("word:{}", origin));
        words.insert(words.end(), more.begin(), more.end());
    }
    std::ranges::sort(words);
    return words;
}

Result<Breakpoint> atReports(Breakpoint breakpoint, const std::string& name) {
    if (name.empty()) {
        breakpoint.checks = reference::kAllChecks;
        return breakpoint;
    }
    std::string names;
    for (uint32_t rest = reference::kAllChecks; rest != 0; rest &= rest - 1) {
        const auto check = static_cast<reference::Check>(1u << std::countr_zero(rest));
        if (name == reference::checkName(check)) breakpoint.checks = check;
        names += std::string(names.empty() ? "" : ", ") + reference::checkName(check);
    }
    if (breakpoint.checks == 0) return failure("there is no check '" + name + "': " + names);
    return breakpoint;
}

Result<Breakpoint> atName(const Session& session, const Debuggee& side, Breakpoint breakpoint) {
    const std::string& name = breakpoint.text;
    breakpoint.words = wordsNamed(side, name);
    if (!breakpoint.words.empty()) return breakpoint;
    if (&side != &session.native())
        breakpoint.words = wordsFrom(side, wordsNamed(session.native(), name));
    if (breakpoint.words.empty()) return failure("no instruction is " + name);
    breakpoint.note = "the end of what it has become";
    return breakpoint;
}

// The first instruction behind those of an id that no instruction gives, such as a phi.
std::vector<uint32_t> wordsBehind(const Debuggee& side, const std::string& name) {
    bool isBehind = false;
    for (const auto& [word, text] : side.text.instructions()) {
        isBehind = isBehind || text.starts_with(name + " = OpPhi ");
        const bool executes = text.find("OpPhi ") == std::string::npos &&
                              text.find("Line") == std::string::npos &&
                              text.find("Merge") == std::string::npos;
        if (isBehind && executes) return {word};
    }
    return {};
}

Result<Breakpoint> atId(const Session& session, const Debuggee& side, Breakpoint breakpoint,
                        const std::string& name) {
    const uint32_t id = side.id(name);
    if (id != 0) breakpoint.words = reference::wordsOfId(side.program(), id);
    if (!breakpoint.words.empty()) return breakpoint;
    breakpoint.words = wordsBehind(side, side.text.name(id));
    if (!breakpoint.words.empty()) return breakpoint;
    const Debuggee& native = session.native();
    const uint32_t original = native.id(name);
    if (&side != &native && original != 0) {
        breakpoint.words = wordsFrom(side, reference::wordsOfId(native.program(), original));
        breakpoint.note = "the rewritten module has no such id: the end of what it has become";
        if (!breakpoint.words.empty()) return breakpoint;
    }
    const bool isKnown = id != 0 || original != 0;
    return failure(isKnown ? "no instruction gives " + name + " or stores to it"
                           : "there is no id or name '" + name + "'");
}

Result<Breakpoint> atLine(const Debuggee& side, Breakpoint breakpoint) {
    breakpoint.words = reference::wordsOfLine(side.program(), breakpoint.text);
    if (breakpoint.words.empty())
        return failure("no instruction is at the line " + breakpoint.text);
    return breakpoint;
}

Result<Breakpoint> atWord(const Debuggee& side, Breakpoint breakpoint, const std::string& number) {
    const auto word = numberIn(number);
    if (!word || *word > UINT32_MAX || side.text.at(static_cast<uint32_t>(*word)).empty())
        return failure("no instruction is at word " + number);
    breakpoint.words = {static_cast<uint32_t>(*word)};
    return breakpoint;
}

bool isPlace(const std::string& text) {
    return text.starts_with("shared:") || text.starts_with("0x") ||
           (text.find(':') != std::string::npos && text[0] >= '0' && text[0] <= '9');
}

Result<Breakpoint> atPlace(const Session& session, Breakpoint breakpoint) {
    const size_t plus = breakpoint.text.find('+');
    auto place = session.place(breakpoint.text.substr(0, plus));
    if (!place) return place.error();
    if (plus != std::string::npos) {
        const auto size = numberIn(breakpoint.text.substr(plus + 1));
        if (!size || *size == 0 || *size > (uint64_t{1} << 32))
            return failure("'" + breakpoint.text.substr(plus + 1) + "' is no number of bytes");
        place->size = *size;
    }
    breakpoint.place = *place;
    return breakpoint;
}

}  // namespace

reference::StopRule Breakpoint::rule(const check::MemoryCopy& memory) const {
    reference::StopRule rule{.number = number, .words = words, .checks = checks};
    if (place) rule.writes = Session::touches(memory, *place);
    return rule;
}

Result<std::optional<ElementOf>> elementIn(const Debuggee& side, const std::string& text) {
    const size_t open = text.find('[');
    if (open == std::string::npos) return std::optional<ElementOf>();
    const std::string name = text.substr(0, open);
    const size_t close = text.find(']', open);
    const std::vector<std::string> parts =
        split(text.substr(open + 1, close == std::string::npos ? 0 : close - open - 1), ',');
    ElementOf element{.id = side.id(name)};
    if (element.id == 0) return failure("there is no id or name '" + name + "'");
    const auto row = parts.size() == 2 ? numberIn(parts[0]) : std::nullopt;
    const auto column = parts.size() == 2 ? numberIn(parts[1]) : std::nullopt;
    if (!row || !column || *row > UINT32_MAX || *column > UINT32_MAX)
        return failure("an element is " + name + "[ROW,COLUMN]");
    element.row = static_cast<uint32_t>(*row);
    element.column = static_cast<uint32_t>(*column);
    return std::optional(element);
}

Result<Breakpoint> breakpointAt(const Session& session, const Debuggee& side,
                                const std::string& text) {
    Breakpoint breakpoint{.text = text};
    const size_t space = text.find(' ');
    const std::string first = text.substr(0, space);
    const std::string rest = space != std::string::npos ? text.substr(space + 1) : "";
    if (first == "report") return atReports(std::move(breakpoint), rest);
    if (first == "word") return atWord(side, std::move(breakpoint), rest);
    if (isPlace(text)) return atPlace(session, std::move(breakpoint));
    auto element = elementIn(side, text);
    if (!element) return element.error();
    breakpoint.element = *element;
    const std::string name = text.substr(0, text.find('['));
    if (name.find(':') != std::string::npos) return atLine(side, std::move(breakpoint));
    const bool isName = name.starts_with("Op") || !wordsNamed(side, name).empty();
    if (isName && side.id(name) == 0) return atName(session, side, std::move(breakpoint));
    return atId(session, side, std::move(breakpoint), name);
}

}  // namespace coopvk::tool
