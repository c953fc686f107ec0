// SPDX-License-Identifier: Apache-2.0
//
// Commands that show what lanes have.
#include <algorithm>
#include <cstring>
#include <format>

#include "check/debug/memory_text.hpp"
#include "check/debug/prompt.hpp"
#include "check/debug/show.hpp"
#include "check/debug/words.hpp"

namespace coopvk::tool {

using reference::ShownElement;
using reference::ShownValue;

// Nothing, with a message: there is no such value.
std::optional<ShownValue> Prompt::shownValue(const std::string& name) {
    if (needStop() == nullptr) return std::nullopt;
    const uint32_t id = side_->id(name);
    if (id == 0) {
        sayError("there is no id or name '" + name + "'");
        return std::nullopt;
    }
    auto value = reference::valueOf(stop_->at, id, side_->maps);
    if (!value) {
        const bool isNative = side_ == &session_.native();
        sayError(side_->text.name(id) + " has no value" +
                 (isNative ? "" : " in the rewritten module; 'side native' may have it"));
    }
    return value;
}

void Prompt::printElement(const ElementOf& element) {
    const std::string name = side_->text.name(element.id);
    const auto value = shownValue(name);
    if (!value) return;
    if (element.row >= value->rows || element.column >= value->columns)
        return sayError(value->rows == 0
                            ? std::format("{} is no matrix: {}", name, value->type)
                            : std::format("{} is {} x {}", name, value->rows, value->columns));
    const ShownElement& shown =
        value->elements[size_t{element.row} * value->columns + element.column];
    say(std::format("{}[{},{}] = {} ({:#x}), held by {}", name, element.row, element.column,
                    textOf(shown), shown.bits, holderText(*value, shown)));
}

Prompt::MaybeWish Prompt::print(const Arguments& words) {
    if (words.empty()) {
        sayError("print what? %48, a name, or %48[3,5]");
        return std::nullopt;
    }
    const auto element = elementIn(*side_, words[0]);
    if (!element) {
        sayError(element.error().message);
        return std::nullopt;
    }
    if (*element) {
        printElement(**element);
        return std::nullopt;
    }
    const auto value = shownValue(words[0]);
    if (!value) return std::nullopt;
    std::string text = side_->text.name(side_->id(words[0])) + ": " + value->type + "\n";
    text += value->rows != 0 ? matrixText(*value)
                             : numbersText(*value, stop_->at.active(), stop_->at.all());
    text.pop_back();
    say(text);
    return std::nullopt;
}

Prompt::MaybeWish Prompt::lanes(const Arguments& words) {
    if (!words.empty()) {
        const auto value = shownValue(words[0]);
        if (value && value->rows == 0)
            sayError(words[0] + " is no matrix: " + value->type);
        else if (value)
            say(std::string(value->ofWorkgroup ? "invocations" : "lanes") +
                " that hold the elements of " + words[0] + "\n" + holdersText(*value));
        return std::nullopt;
    }
    if (needStop() == nullptr) return std::nullopt;
    for (uint32_t s = 0; s < reference::subgroupsAt(stop_->at); ++s) {
        const auto [word, lanes] = reference::whereaboutsOf(stop_->at, s);
        say(std::format("{}subgroup {}: ", s == stop_->at.subgroup() ? "* " : "  ", s) +
            (word == 0 ? "has ended"
                       : std::format("lanes {}, next {}", lanesText(lanes), textAt(word))));
    }
    return std::nullopt;
}

Prompt::MaybeWish Prompt::selectLane(const Arguments& words) {
    const auto lane = words.empty() ? std::nullopt : numberIn(words[0]);
    if (needStop() == nullptr) return std::nullopt;
    if (!lane || *lane >= reference::kMaxLanes || !stop_->at.all().test(uint32_t(*lane))) {
        sayError("the lanes are " + lanesText(stop_->at.all()));
        return std::nullopt;
    }
    lane_ = static_cast<uint32_t>(*lane);
    return where({});
}

Prompt::MaybeWish Prompt::where(const Arguments&) {
    if (needStop() == nullptr) return std::nullopt;
    saySituation();
    const std::string instruction = stop_->at.place(lane_).instruction;
    const size_t operands = instruction.find(" with ");
    if (stop_->at.active().test(lane_) && operands != std::string::npos)
        say(std::format("  in lane {}: {}", lane_, instruction.substr(operands + 6)));
    const std::vector<uint32_t> calls = reference::callsAt(stop_->at);
    if (!calls.empty()) say("  next: " + textAt(calls.back()));
    for (size_t call = calls.size(); call-- > 1;) say("  called; then " + textAt(calls[call - 1]));
    return std::nullopt;
}

Prompt::MaybeWish Prompt::list(const Arguments& words) {
    const auto count = words.empty() ? std::optional<uint64_t>(5) : numberIn(words[0]);
    if (!count) sayError("'" + words[0] + "' is no number");
    if (!count || needStop() == nullptr) return std::nullopt;
    const auto& all = side_->text.instructions();
    const auto here = all.find(stop_->word);
    if (here == all.end()) {
        sayError("the module has no text");
        return std::nullopt;
    }
    auto first = here, last = here;
    for (uint64_t i = 0; i < *count && first != all.begin(); ++i) --first;
    for (uint64_t i = 0; i <= *count && last != all.end(); ++i) ++last;
    for (; first != last; ++first)
        say(std::format("{} {:>5}  {}", first == here ? "=>" : "  ", first->first, first->second));
    return std::nullopt;
}

Prompt::MaybeWish Prompt::memory(const Arguments& words) {
    const auto count = words.size() < 2 ? std::optional<uint64_t>(16) : numberIn(words[1]);
    const auto place = words.empty() ? std::nullopt : std::optional(session_.place(words[0]));
    if (!place || !*place || !count) {
        sayError(place && !*place ? place->error().message
                                  : "usage: memory BYTE [COUNT], such as memory 0.1:0 16");
        return std::nullopt;
    }
    if (!memory_ || (!(*place)->buffer && needStop() == nullptr)) {
        if (!memory_) (void)needStop();
        return std::nullopt;
    }
    say(memoryText(session_.replay(), **place, *count,
                   (*place)->buffer ? memory_->bytes(*(*place)->buffer)
                                    : reference::sharedMemoryAt(stop_->at)));
    return std::nullopt;
}

}  // namespace coopvk::tool
