// SPDX-License-Identifier: Apache-2.0
//
// Commands that compare both sides.
#include <algorithm>
#include <cmath>
#include <format>
#include <map>

#include "check/command/check_output.hpp"
#include "check/debug/prompt.hpp"
#include "check/debug/show.hpp"

namespace coopvk::tool {
namespace {

using reference::ShownElement;
using reference::ShownNumber;
using reference::ShownValue;

constexpr size_t kMostText = 200;  // of a list in a line

// Also floats of different formats, as the rewritten module may hold them.
bool isSame(const ShownNumber& a, const ShownNumber& b) {
    if (a.defined != b.defined || !a.defined) return a.defined == b.defined;
    constexpr auto kFloat = ShownNumber::Kind::kFloat;
    if (a.kind != kFloat || b.kind != kFloat) return textOf(a) == textOf(b);
    const double x = reference::numbers::valueOf(a.format, a.bits);
    const double y = reference::numbers::valueOf(b.format, b.bits);
    return x == y || (std::isnan(x) && std::isnan(y));
}

bool isSame(const ShownElement& native, const ShownElement& rewritten) {
    if (rewritten.otherCopy) return false;
    const ShownNumber &a = native, &b = rewritten;
    return isSame(a, b);
}

std::string joined(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
    return text;
}

// Whether they can be compared, number by number.
bool haveSameShape(const ShownValue& a, const ShownValue& b) {
    return a.rows == b.rows && a.columns == b.columns && a.lanes == b.lanes &&
           a.numbers.size() == b.numbers.size();
}

bool isSame(const ShownValue& a, const ShownValue& b) {
    const auto areSame = [](const auto& x, const auto& y) { return isSame(x, y); };
    return std::ranges::equal(a.elements, b.elements, areSame) &&
           std::ranges::equal(a.numbers, b.numbers, areSame);
}

}  // namespace

void Prompt::sayHolders(const Sample& native, const Sample& rewritten) {
    const ShownValue &a = native.value, &b = rewritten.value;
    std::map<uint32_t, size_t> wrong, held;  // elements by invocation
    size_t count = 0, first = a.elements.size();
    for (size_t i = 0; i < a.elements.size(); ++i) {
        ++held[b.elements[i].invocation];
        if (isSame(a.elements[i], b.elements[i])) continue;
        first = std::min(first, i);
        ++count;
        ++wrong[b.elements[i].otherCopy.value_or(b.elements[i].invocation)];
    }
    std::string who;
    for (const auto& [invocation, number] : wrong) {
        who += who.empty() ? "" : ", ";
        if (who.size() > kMostText) {
            who += "...";
            break;
        }
        who += std::format("{} ({} of its {})", invocation, number, held[invocation]);
    }
    say(std::format("{} of {} elements differ, held by {}{} {}", count, a.elements.size(),
                    b.ofWorkgroup ? "invocation" : "lane", wrong.size() > 1 ? "s" : "", who));
    say(std::format("the first is [{},{}]: {}, not {}", first / a.columns, first % a.columns,
                    textOf(b.elements[first]), textOf(a.elements[first])));
}

// The table has the numbers of the rewritten side.
void Prompt::sayDifference(const Sample& native, const Sample& rewritten) {
    const ShownValue &a = native.value, &b = rewritten.value;
    const auto& group = native.workgroup;
    say(std::format("{}, of workgroup {},{},{}, subgroup {}, time {}: {}",
                    session_.native().text.at(native.word), group[0], group[1], group[2],
                    native.subgroup, native.time + 1, b.type));
    if (a.rows == 0) {
        const auto all = reference::LaneMask::firstLanes(a.lanes);
        std::string text = "native:\n" + numbersText(a, all, all);
        text += "rewritten:\n" + numbersText(b, all, all);
        text.pop_back();
        return say(text);
    }
    sayHolders(native, rewritten);
    std::string table = tableText(b, [&](const ShownElement& element) {
        const auto at = static_cast<size_t>(&element - b.elements.data());
        return textOf(element) + (isSame(a.elements[at], element) ? ' ' : '*');
    });
    table.pop_back();
    say(table + "\n* differs; break " + session_.rewritten().text.name(rewritten.id) +
        " stops behind it");
    const check::Outcome& outcome = session_.replay().outcome;
    if (outcome.verdict == check::Verdict::kAgrees)
        say("what is stored agrees: the specifications allow this, or nothing stores it");
    else if (!outcome.pass.empty())
        say("memory has " + outcome.pass +
            ": differences that the specifications allow are among these");
}

void Prompt::compareSamples(const std::vector<uint32_t>& ids) {
    const std::vector<Sample> native = session_.samples(session_.native(), ids);
    const std::vector<Sample> rewritten = session_.samples(session_.rewritten(), ids);
    std::map<Sample::Key, const Sample*> natively;
    for (const Sample& sample : native) natively[sample.key()] = &sample;
    std::vector<std::string> equal, other;
    const auto note = [](std::vector<std::string>& to, const std::string& name) {
        if (std::ranges::count(to, name) == 0) to.push_back(name);
    };
    for (const Sample& sample : rewritten) {
        const auto found = natively.find(sample.key());
        const std::string name = session_.native().text.name(sample.id);
        if (found == natively.end() || !haveSameShape(found->second->value, sample.value)) {
            note(other, name);
        } else if (isSame(found->second->value, sample.value)) {
            note(equal, name);
        } else {
            if (!equal.empty()) say("equal before it: " + joined(equal));
            return sayDifference(*found->second, sample);
        }
    }
    if (!equal.empty()) say("equal: " + joined(equal));
    if (!other.empty())
        say("not comparable, for the rewritten module does not say which lane holds which element "
            "(`coopvk rewrite --lines` does): " +
            joined(other));
    if (!equal.empty() || !other.empty()) return;
    say("nothing to compare: the two modules have no matrix in common that both computed" +
        std::string(session_.replay().outcome.verdict == check::Verdict::kAgrees
                        ? "; what is stored agrees"
                        : ""));
}

Prompt::MaybeWish Prompt::compare(const Arguments& words) {
    if (!session_.hasRewritten()) {
        sayError("there is no rewritten module: the module itself did not come so far");
        return std::nullopt;
    }
    if (words.empty()) {
        compareSamples(session_.sharedMatrices());
        return std::nullopt;
    }
    const uint32_t id = session_.native().id(words[0]);
    if (id == 0)
        sayError("the module itself has no id or name '" + words[0] + "'");
    else
        compareSamples({id});
    return std::nullopt;
}

Prompt::MaybeWish Prompt::verdict(const Arguments&) {
    printText(out_, {session_.replay().outcome});
    return std::nullopt;
}

}  // namespace coopvk::tool
