// SPDX-License-Identifier: Apache-2.0
//
// Commands for breakpoints, and for the side.
#include <algorithm>
#include <format>

#include "check/debug/prompt.hpp"
#include "check/debug/words.hpp"

namespace coopvk::tool {
namespace {

std::string describe(const Breakpoint& breakpoint) {
    std::string text = std::format("[{}] {}", breakpoint.number, breakpoint.text);
    if (breakpoint.words.size() > 1)
        text += std::format(", {} instructions", breakpoint.words.size());
    if (!breakpoint.note.empty()) text += ": " + breakpoint.note;
    return text;
}

}  // namespace

Prompt::MaybeWish Prompt::addBreak(const Arguments& words) {
    if (words.empty()) {
        sayError("break where? 'help break' has the places");
        return std::nullopt;
    }
    auto breakpoint =
        breakpointAt(session_, *side_, words[0] + (words.size() > 1 ? " " + words[1] : ""));
    if (!breakpoint) {
        sayError(breakpoint.error().message);
        return std::nullopt;
    }
    breakpoint->number = ++lastBreakpoint_;
    say(describe(*breakpoint));
    breakpoints_.push_back(std::move(*breakpoint));
    if (stop_ != nullptr) addRules();
    return std::nullopt;
}

Prompt::MaybeWish Prompt::removeBreak(const Arguments& words) {
    const auto number = words.empty() ? std::nullopt : numberIn(words[0]);
    const size_t count = std::erase_if(breakpoints_, [&](const Breakpoint& breakpoint) {
        return words.empty() || breakpoint.number == number;
    });
    if (count == 0)
        sayError(words.empty() ? "there are no breakpoints" : "there is no breakpoint " + words[0]);
    if (stop_ != nullptr) addRules();
    return std::nullopt;
}

Prompt::MaybeWish Prompt::listBreaks(const Arguments&) {
    if (breakpoints_.empty()) say("no breakpoints");
    for (const Breakpoint& breakpoint : breakpoints_) say(describe(breakpoint));
    return std::nullopt;
}

// Breakpoints mean the same there, as far as there is such a place.
Prompt::MaybeWish Prompt::changeSide(const Arguments& words) {
    const std::string wanted = words.empty() ? "" : words[0];
    const bool isNative = wanted == session_.native().name;
    if (!isNative && wanted != session_.rewritten().name) {
        sayError("the sides are native and rewritten; this is " + side_->name);
        return std::nullopt;
    }
    if (!isNative && !session_.hasRewritten()) {
        sayError("there is no rewritten module: the module itself did not come so far");
        return std::nullopt;
    }
    side_ = isNative ? &session_.native() : &session_.rewritten();
    for (Breakpoint& breakpoint : breakpoints_) {
        const uint32_t number = breakpoint.number;
        auto there = breakpointAt(session_, *side_, breakpoint.text);
        if (there)
            breakpoint = std::move(*there);
        else
            breakpoint = {.text = breakpoint.text, .note = there.error().message};
        breakpoint.number = number;
        say(describe(breakpoint));
    }
    hasEnded_ = false;
    return Wish{Wish::Kind::kIdle, {}};
}

}  // namespace coopvk::tool
