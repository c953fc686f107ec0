// SPDX-License-Identifier: Apache-2.0
//
// The debugger's prompt: reads commands, and executes them.
#pragma once

#include <deque>
#include <iosfwd>
#include <optional>

#include "check/debug/breakpoints.hpp"

namespace coopvk::tool {

// What somebody typed behind a command.
using Arguments = std::vector<std::string>;

class Prompt {
 public:
    // On a terminal commands are not repeated, and an empty line is the last command again.
    Prompt(const Session& session, std::istream& in, std::ostream& out, bool isTerminal);
    // To the end of the input, or `quit`.
    void run();

 private:
    friend struct CommandTable;

    // What a command wants of the execution.
    struct Wish {
        enum class Kind : uint8_t { kResume, kRestart, kIdle, kQuit } kind = Kind::kQuit;
        reference::Resume resume = {};
    };
    using MaybeWish = std::optional<Wish>;  // nothing: the next command

    Wish ask();
    MaybeWish obey(const std::string& line);
    bool execute(Wish& wish);
    reference::Resume stopped(const reference::Stop& stop);
    bool isElsewhere(const reference::Stop& stop);
    void saySituation();
    void sayEnd(const reference::Status& status);
    void say(const std::string& text);  // a line
    void sayError(const std::string& text);
    void addRules();
    const reference::Stop* needStop();  // null, with a message: nothing is held
    MaybeWish goTo(uint64_t number, std::optional<uint32_t> lane);
    std::string textAt(uint32_t word) const;

    // Of commands (prompt_*.cpp).
    MaybeWish start(const Arguments&);
    MaybeWish goOn(const Arguments&);
    MaybeWish step(const Arguments&);
    MaybeWish next(const Arguments&);
    MaybeWish back(const Arguments&);
    MaybeWish who(const Arguments&);
    MaybeWish addBreak(const Arguments&);
    MaybeWish removeBreak(const Arguments&);
    MaybeWish listBreaks(const Arguments&);
    MaybeWish changeSide(const Arguments&);
    MaybeWish print(const Arguments&);
    MaybeWish lanes(const Arguments&);
    MaybeWish selectLane(const Arguments&);
    MaybeWish where(const Arguments&);
    MaybeWish list(const Arguments&);
    MaybeWish memory(const Arguments&);
    MaybeWish compare(const Arguments&);
    MaybeWish verdict(const Arguments&);
    MaybeWish help(const Arguments&);
    MaybeWish quit(const Arguments&);
    std::optional<reference::ShownValue> shownValue(const std::string& name);
    void printElement(const ElementOf& element);
    void compareSamples(const std::vector<uint32_t>& ids);
    void sayDifference(const Sample& native, const Sample& rewritten);
    void sayHolders(const Sample& native, const Sample& rewritten);

    const Session& session_;
    std::istream& in_;
    std::ostream& out_;
    const bool isTerminal_;
    const Debuggee* side_;
    std::deque<Breakpoint> breakpoints_;
    uint32_t lastBreakpoint_ = 0;
    std::string lastLine_;
    std::optional<reference::Debugger> debugger_;
    std::optional<check::MemoryCopy> memory_;
    const reference::Stop* stop_ = nullptr;  // null: nothing is held
    uint32_t lane_ = 0;
    std::optional<uint32_t> wantedLane_;  // where the execution is held next
    bool hasEnded_ = false;               // the last execution came to its end
    Wish wish_;                           // of a command, while an execution is held
};

}  // namespace coopvk::tool
