// SPDX-License-Identifier: Apache-2.0
#include "check/debug/command_table.hpp"

#include <format>

namespace coopvk::tool {

std::span<const CommandTable::Row> CommandTable::rows() {
    static constexpr Row kRows[] = {
        {"run", "r", &Prompt::start, "", "execute from the start, to the first breakpoint"},
        {"continue", "c", &Prompt::goOn, "", "go on to the next breakpoint", 0, true},
        {"step", "s", &Prompt::step, "[COUNT]", "execute an instruction of this subgroup", 1, true},
        {"next", "n", &Prompt::next, "",
         "execute a line of source, or in a rewritten module what an instruction of the original "
         "has\n"
         "become; a call is one",
         0, true},
        {"back", "b", &Prompt::back, "[COUNT]", "go back by an instruction", 1, true},
        {"who", "w", &Prompt::who, "[BYTE]",
         "go back to the instruction that wrote a byte last: 0.1:212 is byte 212 of set 0, binding "
         "1;\n"
         "shared:64; 0x100000010. Again: to the write before. Without a byte: of the first "
         "difference",
         1},
        {"break", "br", &Prompt::addBreak, "PLACE",
         "stop behind each instruction at a place: %48 or a name (what gives it, or stores to "
         "it),\n"
         "%48[3,5] (the same, with the lane that holds this element), OpStore, a.comp:6 or :6,\n"
         "word 443, report [CHECK], or a byte that is written: 0.1:212, 0.1:212+16",
         2},
        {"delete", "d", &Prompt::removeBreak, "[NUMBER]", "forget a breakpoint, or all", 1},
        {"breaks", "", &Prompt::listBreaks, "", "list the breakpoints"},
        {"side", "", &Prompt::changeSide, "native|rewritten",
         "debug the module itself, or what it has become", 1},
        {"print", "p", &Prompt::print, "VALUE",
         "show %48 or a name: a matrix whoever holds it, else what each lane has; %48[3,5]: an "
         "element",
         1},
        {"lanes", "l", &Prompt::lanes, "[MATRIX]",
         "show where subgroups are, or which lane holds which element", 1},
        {"lane", "", &Prompt::selectLane, "NUMBER", "speak of this lane", 1},
        {"where", "", &Prompt::where, "",
         "show what has been executed, what comes next, and the calls"},
        {"list", "", &Prompt::list, "[COUNT]", "show the instructions around this one", 1},
        {"memory", "m", &Prompt::memory, "BYTE [COUNT]", "show numbers in memory, from a byte on",
         2},
        {"compare", "", &Prompt::compare, "[VALUE]",
         "execute both sides, and show where a value, or the first matrix, is another one", 1},
        {"verdict", "", &Prompt::verdict, "", "show again what differs"},
        {"help", "h", &Prompt::help, "[COMMAND]", "show this", 1},
        {"quit", "q", &Prompt::quit, "", "end"},
    };
    return kRows;
}

const CommandTable::Row* CommandTable::find(const std::string& name) {
    const Row* found = nullptr;
    for (const Row& row : rows()) {
        if (name == row.name || name == row.shortName) return &row;
        if (!std::string_view(row.name).starts_with(name)) continue;
        if (found != nullptr) return nullptr;
        found = &row;
    }
    return found;
}

std::string CommandTable::usageOf(const Row& row) {
    return std::string(row.name) + (*row.arguments != '\0' ? " " : "") + row.arguments;
}

std::string CommandTable::helpOf(const Row& row) {
    constexpr size_t kIndent = 25;
    std::string what = row.what;
    for (size_t at = 0; (at = what.find('\n', at)) != std::string::npos; at += kIndent + 1)
        what.insert(at + 1, kIndent, ' ');
    std::string name = usageOf(row);
    if (*row.shortName != '\0') name += std::format(" ({})", row.shortName);
    return std::format("{:<{}} {}", name, kIndent - 1, what);
}

Prompt::MaybeWish Prompt::help(const Arguments& words) {
    const CommandTable::Row* wanted = words.empty() ? nullptr : CommandTable::find(words[0]);
    if (!words.empty() && wanted == nullptr) {
        sayError("there is no command '" + words[0] + "'");
        return std::nullopt;
    }
    for (const CommandTable::Row& row : CommandTable::rows())
        if (wanted == nullptr || &row == wanted) say(CommandTable::helpOf(row));
    if (wanted == nullptr && isTerminal_)
        say("An empty line repeats step, next, continue and back. Names may be cut short.");
    return std::nullopt;
}

Prompt::MaybeWish Prompt::quit(const Arguments&) { return Wish{}; }

}  // namespace coopvk::tool
