// SPDX-License-Identifier: Apache-2.0
#include "check/debug/prompt.hpp"

#include <algorithm>
#include <format>
#include <iostream>

#include "check/debug/command_table.hpp"
#include "check/debug/show.hpp"
#include "check/debug/words.hpp"
#include "system/text.hpp"

namespace coopvk::tool {

using reference::Resume;
using reference::Stop;

Prompt::Prompt(const Session& session, std::istream& in, std::ostream& out, bool isTerminal)
    : session_(session),
      in_(in),
      out_(out),
      isTerminal_(isTerminal),
      side_(session.hasRewritten() ? &session.rewritten() : &session.native()) {}

void Prompt::run() {
    verdict({});
    say("Commands: help. Begin with " +
        std::string(session_.replay().outcome.comparison.differences.empty()
                        ? "'break ...' and 'run'."
                        : "'compare', or 'who': who wrote the first wrong number."));
    Wish wish = ask();
    while (wish.kind != Wish::Kind::kQuit)
        if (!execute(wish)) wish = ask();
}

// False: the prompt is to ask again. Else the wish is the next one.
bool Prompt::execute(Wish& wish) {
    if (wish.kind == Wish::Kind::kIdle) return false;
    hasEnded_ = false;
    memory_.emplace(session_.replay().memory);
    debugger_.emplace([this](const Stop& stop) { return stopped(stop); });
    debugger_->prints = [this](const std::string& text) { say("printed: " + text); };
    addRules();
    const auto status = session_.run(*side_, *debugger_, *memory_, wish.resume);
    if (debugger_->wasEnded()) {
        wish = wish_;
        return true;
    }
    hasEnded_ = true;
    sayEnd(status);
    return false;
}

void Prompt::addRules() {
    debugger_->rules.clear();
    for (const Breakpoint& breakpoint : breakpoints_)
        debugger_->rules.push_back(breakpoint.rule(*memory_));
}

// Only breakpoints of elements that others hold are due.
bool Prompt::isElsewhere(const Stop& stop) {
    if (stop.rules.empty()) return false;
    bool isHere = false;
    for (const uint32_t number : stop.rules) {
        const auto found = std::ranges::find(breakpoints_, number, &Breakpoint::number);
        if (found == breakpoints_.end() || !found->element) {
            isHere = true;
            continue;
        }
        const ElementOf& of = *found->element;
        const auto value = reference::valueOf(stop.at, of.id, side_->maps);
        const bool exists = value && of.row < value->rows && of.column < value->columns;
        if (!exists) continue;
        const auto& element = value->elements[size_t{of.row} * value->columns + of.column];
        const uint32_t first =
            value->ofWorkgroup ? stop.at.subgroup() * side_->side.settings.subgroupSize : 0;
        if (!element.isHeld || element.invocation < first ||
            element.invocation >= first + side_->side.settings.subgroupSize)
            continue;
        isHere = true;
        wantedLane_ = element.invocation - first;
    }
    return !isHere;
}

Resume Prompt::stopped(const Stop& stop) {
    if (isElsewhere(stop)) return {};
    stop_ = &stop;
    lane_ = wantedLane_.value_or(stop.lane);
    wantedLane_.reset();
    saySituation();
    wish_ = ask();
    stop_ = nullptr;
    return wish_.kind == Wish::Kind::kResume ? wish_.resume : Resume{.until = Resume::Until::kEnd};
}

Prompt::Wish Prompt::ask() {
    std::string line;
    for (;;) {
        const std::string prompt = side_->name + "> ";
        if (isTerminal_) out_ << prompt << std::flush;
        if (!std::getline(in_, line)) {
            if (isTerminal_) out_ << '\n';
            return {};
        }
        while (!line.empty() && (line.back() == ' ' || line.back() == '\r')) line.pop_back();
        if (line.empty() && isTerminal_) line = lastLine_;
        if (line.empty() || line.starts_with('#')) continue;
        if (!isTerminal_) say(prompt + line);
        if (const auto wish = obey(line)) return *wish;
    }
}

Prompt::MaybeWish Prompt::obey(const std::string& line) {
    Arguments words = split(line, ' ');
    if (words.empty()) return std::nullopt;
    const CommandTable::Row* row = CommandTable::find(words[0]);
    if (row == nullptr) {
        sayError("there is no command '" + words[0] + "'; 'help' lists all");
        return std::nullopt;
    }
    lastLine_ = row->repeats ? line : "";
    words.erase(words.begin());
    if (words.size() > row->mostArguments) {
        sayError("usage: " + CommandTable::usageOf(*row));
        return std::nullopt;
    }
    return (this->*row->run)(words);
}

std::string Prompt::textAt(uint32_t word) const { return side_->text.at(word); }

// What is executed, and where.
void Prompt::saySituation() {
    const reference::Moment& at = stop_->at;
    std::string why;
    for (const uint32_t number : stop_->rules) why += std::format("[{}] ", number);
    say(why + textAt(stop_->word));
    if (const uint32_t origin = side_->origin(stop_->word); origin != 0)
        say(std::format("  of the original's {} (word {})", session_.native().text.at(origin),
                        origin));
    if (stop_->report) say("  report: " + reference::describe(*stop_->report));
    const auto group = reference::workgroupAt(at);
    const std::string line = side_->line(stop_->word);
    say(std::format(
        "  {}word {}, instruction {}, workgroup {},{},{}, subgroup {}, lanes {}, lane {}",
        line.empty() ? "" : line + ", ", stop_->word, stop_->number, group[0], group[1], group[2],
        at.subgroup(), lanesText(at.active()), lane_));
}

void Prompt::sayEnd(const reference::Status& status) {
    if (!status) return say("the execution ends: " + status.error().message);
    say(std::format("the execution has ended, after {} instructions", debugger_->executed()));
}

void Prompt::say(const std::string& text) {
    out_ << layer::printable(text, "\n\t") << '\n' << std::flush;
}

void Prompt::sayError(const std::string& text) { say("error: " + text); }

const Stop* Prompt::needStop() {
    if (stop_ == nullptr)
        sayError(hasEnded_ ? "the execution has ended: 'back', 'who' or 'run'"
                           : "nothing is executed yet: 'run', 'step' or 'who'");
    return stop_;
}

}  // namespace coopvk::tool
