// SPDX-License-Identifier: Apache-2.0
//
// usage: prove_inputs [--each] [--lanes N] [--parameters BYTES] [NAME...]
// `coopvk prove` of the inputs, all or those with these names, with the memory and workgroups that
// their comments ask for: at N lanes (32), or at those that an input has, for each class of
// devices. A line for each input; exit status 1 if one of them differs, or one that is named is not
// proved.
// --parameters: so many bytes of memory that decide addresses or branches may be known, as in
// `coopvk prove`; what is then proved counts as proved, and is also counted apart.
// --each: a line for each class and back-end, and no executions that show differences.
#include <algorithm>
#include <iostream>
#include <set>
#include <span>

#include "checking.hpp"
#include "forms.hpp"
#include "prove.hpp"

namespace coopvk::test {
namespace {

using check::ProofVerdict;

struct Counts {
    uint32_t proved = 0, provedFor = 0, notProvable = 0, differ = 0, others = 0;
};

struct Choices {
    bool isEach = false;
    uint32_t lanes = 32;
    uint32_t parameters = 0;
};

std::vector<check::ProofOutcome> proveInput(const Input& input, const Choices& choices) {
    check::ProofOptions options{
        .check = optionsFor(input, 0), .tries = !choices.isEach, .parameters = choices.parameters};
    const bool hasLanes =
        input.lanes.empty() || std::ranges::count(input.lanes, choices.lanes) != 0;
    options.check.lanes = {hasLanes ? choices.lanes : input.lanes.front()};
    const Words words = compiled(input, Variant::kPlain);
    check::Subject subject{.words = words, .specialization = {}};
    for (const auto& [id, value] : input.specialization)
        subject.specialization.push_back({.constantId = id, .bits = value});
    if (input.isSubgroup)
        subject.specialization.push_back({.constantId = 0, .bits = options.check.lanes.front()});
    return check::prove(subject, options);
}

// The first outcome that is neither proved nor impossible, else a proof.
ProofVerdict printVerdict(const Input& input, const Choices& choices) {
    const std::vector<check::ProofOutcome> outcomes = proveInput(input, choices);
    for (const check::ProofOutcome& outcome : outcomes)
        if (choices.isEach)
            std::cout << input.name << ", " << outcome.deviceClass
                      << (outcome.backEnd == rewrite::BackEnd::kNative ? ", native: " : ", core: ")
                      << check::nameOf(outcome.verdict) << " (" << outcome.seconds << " s) "
                      << outcome.message << std::endl;
    double seconds = 0;
    const check::ProofOutcome* shown = outcomes.empty() ? nullptr : &outcomes[0];
    const auto isNothing = [](const check::ProofOutcome& outcome) {
        return outcome.verdict == ProofVerdict::kNotApplicable;
    };
    for (const check::ProofOutcome& outcome : outcomes) {
        seconds = std::max(seconds, outcome.seconds);
        if (isNothing(*shown)) shown = &outcome;
        if (shown->isProved() && !isNothing(outcome) &&
            (!outcome.isProved() || shown->verdict == ProofVerdict::kProved))
            shown = &outcome;
    }
    if (shown == nullptr) return ProofVerdict::kNotExecutable;
    std::cout << input.name << ": " << check::nameOf(shown->verdict);
    if (shown->isProved())
        std::cout << " (" << seconds << " s)";
    else
        std::cout << ": " << shown->deviceClass << ": " << shown->message;
    std::cout << std::endl;
    return shown->verdict;
}

int run(std::span<char* const> arguments) {
    Choices choices;
    std::set<std::string> names;
    for (size_t n = 0; n < arguments.size(); ++n) {
        const std::string word = arguments[n];
        if (word == "--each")
            choices.isEach = true;
        else if (word == "--lanes" && n + 1 < arguments.size())
            choices.lanes = uint32_t(std::stoul(arguments[++n]));
        else if (word == "--parameters" && n + 1 < arguments.size())
            choices.parameters = uint32_t(std::stoul(arguments[++n]));
        else
            names.insert(word);
    }
    Counts counts;
    for (const Input& input : allInputs()) {
        if (!names.empty() && !names.contains(input.name)) continue;
        if (names.empty() && (isUnchecked(input) || input.isRefused)) continue;
        const ProofVerdict verdict = printVerdict(input, choices);
        if (verdict == ProofVerdict::kProved)
            ++counts.proved;
        else if (verdict == ProofVerdict::kProvedFor)
            ++counts.provedFor;
        else if (verdict == ProofVerdict::kNotProvable)
            ++counts.notProvable;
        else if (verdict == ProofVerdict::kDiffers)
            ++counts.differ;
        else
            ++counts.others;
    }
    std::cout << counts.proved << " proved, ";
    if (counts.provedFor != 0) std::cout << counts.provedFor << " proved for parameters, ";
    std::cout << counts.notProvable << " not provable, " << counts.differ << " differ, "
              << counts.others << " others\n";
    const bool isComplete = names.empty() || counts.proved + counts.provedFor == names.size();
    return counts.differ == 0 && isComplete ? 0 : 1;
}

}  // namespace
}  // namespace coopvk::test

int main(int count, char** arguments) {
    return coopvk::test::run({arguments + 1, arguments + count});
}
