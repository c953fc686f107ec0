// SPDX-License-Identifier: Apache-2.0
#include "check/command/check_output.hpp"

#include <format>
#include <nlohmann/json.hpp>
#include <sstream>

#include "json_text.hpp"
#include "system/text.hpp"

namespace coopvk::tool {
namespace {

using check::Outcome;
using nlohmann::ordered_json;
using reference::Choice;

const char* nameOf(Choice choice) {
    switch (choice) {
        case Choice::kShuffled:
            return "shuffled";
        case Choice::kAdversarial:
            return "adversarial";
        case Choice::kExact:
            return "exact";
        case Choice::kNvidia:
            return "nvidia";
        case Choice::kRdna3:
            return "rdna3";
        case Choice::kRdna4:
            return "rdna4";
        case Choice::kAda:
            return "ada";
        case Choice::kHopper:
            return "hopper";
        case Choice::kCdna3:
            return "cdna3";
        case Choice::kPlain:
            break;
    }
    return "plain";
}

const char* nameOf(rewrite::BackEnd backEnd) {
    switch (backEnd) {
        case rewrite::BackEnd::kCore:
            return "core";
        case rewrite::BackEnd::kNative:
            return "native";
        case rewrite::BackEnd::kAuto:
            break;
    }
    return "auto";
}

// There is no back-end where the module itself could not be executed.
bool isNativeVerdict(const Outcome& outcome) {
    return outcome.verdict == check::Verdict::kUndefined ||
           outcome.verdict == check::Verdict::kNotExecutable;
}

std::string placeOf(const Outcome& outcome) {
    std::string text = std::format("{} lanes", outcome.lanes);
    if (outcome.isDevice)
        text += ", the device";
    else if (!isNativeVerdict(outcome))
        text += std::format(", {}", nameOf(outcome.backEnd));
    if (check::isFault(outcome.verdict) && !outcome.isDevice)
        text += std::format(", {} schedule", nameOf(outcome.schedule));
    if (!outcome.pass.empty()) text += std::format(", with {}", outcome.pass);
    return text;
}

void printWrite(std::ostream& out, const char* side, const std::string& write) {
    out << "    " << side << ": " << (write.empty() ? "nothing wrote it" : "last written by ")
        << write << '\n';
}

// Of numbers that are compared.
void printCount(std::ostream& out, const Outcome& outcome) {
    if (outcome.verdict != check::Verdict::kAgrees && outcome.verdict != check::Verdict::kLayout)
        return;
    out << std::format(" ({} numbers compared", outcome.written.compared());
    if (outcome.written.open != 0)
        out << std::format(", {} depend on the layout of elements", outcome.written.open);
    if (outcome.written.unknown != 0)
        out << std::format(", {} of which nothing is known: {}", outcome.written.unknown,
                           outcome.written.why);
    out << ')';
}

void printReports(std::ostream& out, const char* side,
                  const std::vector<reference::Report>& reports) {
    for (const reference::Report& report : reports)
        out << "  " << side << ": " << reference::describe(report) << '\n';
}

ordered_json jsonOf(const std::vector<reference::Report>& reports) {
    ordered_json list = ordered_json::array();
    for (const reference::Report& report : reports) list.push_back(reference::describe(report));
    return list;
}

ordered_json jsonOf(const Outcome& outcome) {
    ordered_json json;
    json["lanes"] = outcome.lanes;
    json["side"] = outcome.isDevice ? "device" : "rewritten";
    json["backEnd"] = nameOf(outcome.backEnd);
    json["schedule"] = nameOf(outcome.schedule);
    json["verdict"] = check::nameOf(outcome.verdict);
    if (!outcome.message.empty()) json["message"] = outcome.message;
    if (!outcome.pass.empty()) json["with"] = outcome.pass;
    json["compared"] = outcome.written.compared();
    json["dependOnLayout"] = outcome.written.open;
    json["unknown"] = outcome.written.unknown;
    json["inexact"] = outcome.comparison.inexact;
    ordered_json differences = ordered_json::array();
    for (const check::Difference& difference : outcome.comparison.differences) {
        differences.push_back({{"buffer", difference.buffer},
                               {"byte", difference.byte},
                               {"native", difference.native},
                               {"rewritten", difference.rewritten},
                               {"nativeWrite", difference.nativeWrite},
                               {"rewrittenWrite", difference.rewrittenWrite},
                               {"count", difference.count}});
    }
    json["differences"] = std::move(differences);
    json["nativeReports"] = jsonOf(outcome.native);
    json["rewrittenReports"] = jsonOf(outcome.rewritten);
    return json;
}

}  // namespace

void printText(std::ostream& to, const std::vector<Outcome>& outcomes) {
    std::ostringstream out;
    for (const Outcome& outcome : outcomes) {
        out << placeOf(outcome) << ": " << check::nameOf(outcome.verdict);
        if (!outcome.message.empty()) out << ": " << outcome.message;
        printCount(out, outcome);
        if (outcome.comparison.inexact != 0)
            out << std::format(" ({} numbers are not the same, as the specifications allow)",
                               outcome.comparison.inexact);
        out << '\n';
        for (const check::Difference& difference : outcome.comparison.differences) {
            out << std::format("  {}, byte {}: {}, not {} ({} numbers of this buffer differ)\n",
                               difference.buffer, difference.byte, difference.rewritten,
                               difference.native, difference.count);
            printWrite(out, "native", difference.nativeWrite);
            if (!outcome.isDevice) printWrite(out, "rewritten", difference.rewrittenWrite);
        }
        printReports(out, "native", outcome.native);
        printReports(out, "rewritten", outcome.rewritten);
    }
    to << layer::printable(out.str(), "\n\t");  // names may be from the module
}

void printJson(std::ostream& out, const std::string& input, uint64_t seed,
               const std::vector<Outcome>& outcomes) {
    ordered_json json;
    json["input"] = input;
    json["seed"] = seed;
    json["outcomes"] = ordered_json::array();
    for (const Outcome& outcome : outcomes) json["outcomes"].push_back(jsonOf(outcome));
    out << jsonText(json, 1);
}

}  // namespace coopvk::tool
