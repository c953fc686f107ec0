// SPDX-License-Identifier: Apache-2.0
//
// Commands that execute.
#include <format>

#include "check/debug/prompt.hpp"
#include "check/debug/words.hpp"

namespace coopvk::tool {

using reference::Resume;

namespace {

// COUNT of a command; nothing: it is none.
std::optional<uint64_t> countOf(const Arguments& words) {
    if (words.empty()) return 1;
    const auto count = numberIn(words[0]);
    return count && *count > 0 ? count : std::nullopt;
}

}  // namespace

Prompt::MaybeWish Prompt::start(const Arguments&) {
    return Wish{Wish::Kind::kRestart, {.until = Resume::Until::kRule}};
}

Prompt::MaybeWish Prompt::goOn(const Arguments& words) {
    if (stop_ != nullptr) return Wish{Wish::Kind::kResume, {.until = Resume::Until::kRule}};
    if (hasEnded_ && needStop() == nullptr) return std::nullopt;
    return start(words);
}

Prompt::MaybeWish Prompt::step(const Arguments& words) {
    const auto count = countOf(words);
    if (!count) sayError("'" + words[0] + "' is no number of instructions");
    if (!count || (hasEnded_ && needStop() == nullptr)) return std::nullopt;
    if (stop_ == nullptr) return goTo(*count, {});
    return Wish{Wish::Kind::kResume, {.until = Resume::Until::kInstruction, .count = *count}};
}

Prompt::MaybeWish Prompt::next(const Arguments&) {
    if (hasEnded_ && needStop() == nullptr) return std::nullopt;
    if (stop_ == nullptr) return goTo(1, {});
    return Wish{Wish::Kind::kResume, {.until = Resume::Until::kLine}};
}

// Executes again, up to an instruction.
Prompt::MaybeWish Prompt::goTo(uint64_t number, std::optional<uint32_t> lane) {
    wantedLane_ = lane;
    return Wish{Wish::Kind::kRestart, {.until = Resume::Until::kNumber, .count = number}};
}

Prompt::MaybeWish Prompt::back(const Arguments& words) {
    const auto count = countOf(words);
    if (!count) {
        sayError("'" + words[0] + "' is no number of instructions");
        return std::nullopt;
    }
    // Behind the end, the last instruction is the first one to go back to.
    const uint64_t now = stop_ != nullptr ? stop_->number
                         : hasEnded_      ? debugger_->executed() + 1
                                          : 0;
    if (now <= *count) {
        if (now != 0 || needStop() != nullptr)
            sayError(std::format("only {} instructions are before this one", now - 1));
        return std::nullopt;
    }
    return goTo(now - *count, {});
}

Prompt::MaybeWish Prompt::who(const Arguments& words) {
    NamedBytes place;
    if (words.empty()) {
        const auto& differences = session_.replay().outcome.comparison.differences;
        if (differences.empty()) {
            sayError("nothing differs: give a byte, such as 0.1:212");
            return std::nullopt;
        }
        const check::Watch& watch = differences.front().place;
        place = {.buffer = watch.buffer, .offset = watch.offset, .size = watch.size};
    } else {
        const auto given = session_.place(words[0]);
        if (!given) {
            sayError(given.error().message);
            return std::nullopt;
        }
        place = *given;
    }
    auto write = session_.lastWrite(*side_, place, stop_ != nullptr ? stop_->number : 0);
    const bool isHere = stop_ != nullptr && write.number == stop_->number;
    if (isHere && write.number > 1) {
        say("written here; the write before:");
        write = session_.lastWrite(*side_, place, write.number - 1);
    }
    if (write.number != 0) return goTo(write.number, write.lane);
    say(std::format("nothing wrote {} {}", session_.nameOf(place),
                    stop_ != nullptr ? "before" : "in this execution"));
    return std::nullopt;
}

}  // namespace coopvk::tool
