// SPDX-License-Identifier: Apache-2.0
//
// What `coopvk prove` prints.
#include <algorithm>
#include <format>
#include <nlohmann/json.hpp>
#include <span>
#include <sstream>

#include "check/assumptions.hpp"
#include "check/command/check_output.hpp"
#include "json_text.hpp"
#include "system/text.hpp"

namespace coopvk::tool {
namespace {

using check::ProofOutcome;
using check::ProofVerdict;
using nlohmann::ordered_json;

const char* backEndOf(const ProofOutcome& outcome) {
    switch (outcome.backEnd) {
        case rewrite::BackEnd::kCore:
            return "core";
        case rewrite::BackEnd::kNative:
            return "native";
        case rewrite::BackEnd::kAuto:
            break;
    }
    return "";
}

// There is neither device nor back-end where the module itself could not be executed.
std::string placeText(const ProofOutcome& outcome) {
    std::string text = std::format("{} lanes", outcome.lanes);
    if (!outcome.deviceClass.empty()) text += ", " + outcome.deviceClass;
    const bool isOfRewritten = !outcome.deviceClass.empty() || outcome.terms != 0;
    if (isOfRewritten && *backEndOf(outcome) != 0) text += std::format(", {}", backEndOf(outcome));
    return text;
}

std::string figuresText(const ProofOutcome& outcome) {
    std::string text = std::format(" ({} numbers, {:.2f} s", outcome.numbers, outcome.seconds);
    if (outcome.cases > 1) text += std::format(", {} cases", outcome.cases);
    for (const std::string_view assumption : check::assumptionsOf(outcome.assumptions))
        text += std::format("; {}", assumption);
    return text + ")";
}

std::string bytesText(std::span<const std::byte> bytes, std::string_view between) {
    std::string text;
    for (const std::byte byte : bytes)
        text += std::format("{}{:02x}", text.empty() ? "" : between, uint8_t(byte));
    return text;
}

// The first of them.
std::string parametersText(const std::vector<check::ProofParameters>& all) {
    constexpr size_t kMostRanges = 4, kMostBytes = 16;
    std::string text;
    for (const check::ProofParameters& one :
         std::span(all).first(std::min(all.size(), kMostRanges))) {
        const size_t shown = std::min(one.values.size(), kMostBytes);
        text += std::format("{} {}: {}{}", text.empty() ? ":" : ";", one.range,
                            bytesText(std::span(one.values).first(shown), " "),
                            shown < one.values.size() ? " ..." : "");
    }
    if (all.size() > kMostRanges) text += std::format("; and {} more", all.size() - kMostRanges);
    return text;
}

}  // namespace

void printText(std::ostream& to, const std::vector<ProofOutcome>& outcomes) {
    std::ostringstream out;
    for (const ProofOutcome& outcome : outcomes) {
        out << placeText(outcome) << ": " << check::nameOf(outcome.verdict);
        if (!outcome.message.empty()) out << ": " << outcome.message;
        if (outcome.isProved()) out << figuresText(outcome);
        if (outcome.verdict == ProofVerdict::kProvedFor) out << parametersText(outcome.parameters);
        out << '\n';
        if (!outcome.shown) continue;
        std::ostringstream shown;
        printText(shown, std::vector{*outcome.shown});
        out << "  " << shown.str();
    }
    to << layer::printable(out.str(), "\n\t");
}

void printJson(std::ostream& out, const std::string& input,
               const std::vector<ProofOutcome>& outcomes) {
    ordered_json json;
    json["input"] = input;
    json["outcomes"] = ordered_json::array();
    for (const ProofOutcome& outcome : outcomes) {
        ordered_json& one = json["outcomes"].emplace_back();
        one["lanes"] = outcome.lanes;
        if (!outcome.deviceClass.empty()) one["class"] = outcome.deviceClass;
        one["backEnd"] = backEndOf(outcome);
        one["verdict"] = check::nameOf(outcome.verdict);
        if (!outcome.message.empty()) one["message"] = outcome.message;
        one["numbers"] = outcome.numbers;
        one["cases"] = outcome.cases;
        one["terms"] = outcome.terms;
        one["seconds"] = outcome.seconds;
        one["assumptions"] = check::assumptionsOf(outcome.assumptions);
        for (const check::ProofParameters& range : outcome.parameters)
            one["parameters"].push_back(
                {{"range", range.range}, {"bytes", bytesText(range.values, "")}});
    }
    out << jsonText(json, 1);
}

void printSum(std::ostream& out, const std::vector<ProofVerdict>& verdicts, size_t unread) {
    const auto count = [&](ProofVerdict verdict) { return std::ranges::count(verdicts, verdict); };
    const auto parameters = count(ProofVerdict::kProvedFor);
    out << std::format("{} of {} proved", count(ProofVerdict::kProved) + parameters,
                       verdicts.size() + unread);
    if (parameters != 0) out << std::format(", {} of them for these parameters", parameters);
    for (const ProofVerdict verdict :
         {ProofVerdict::kDiffers, ProofVerdict::kNotProvable, ProofVerdict::kRefused,
          ProofVerdict::kNotApplicable, ProofVerdict::kNotExecutable})
        if (const auto some = count(verdict))
            out << std::format("; {} {}", some, check::nameOf(verdict));
    if (unread != 0) out << std::format("; {} could not be read", unread);
    out << '\n';
}

}  // namespace coopvk::tool
