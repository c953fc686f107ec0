// SPDX-License-Identifier: Apache-2.0
//
// `coopvk prove`: shows that a rewritten module is right for all contents of memory.
#include <algorithm>
#include <iostream>
#include <memory>
#include <vector>

#include "check/command/check_options.hpp"
#include "check/command/check_output.hpp"
#include "commands.hpp"
#include "compare/compare_commands.hpp"
#include "failure.hpp"
#include "prove.hpp"

namespace coopvk::tool {
namespace {

using check::ProofOutcome;
using check::ProofVerdict;
using rewrite::Result;

// kAgree: something is proved, and nothing that applies is not.
int statusOf(const std::vector<ProofOutcome>& outcomes) {
    const auto count = [&](ProofVerdict verdict) {
        return std::ranges::count(outcomes, verdict, &ProofOutcome::verdict);
    };
    const auto proved = count(ProofVerdict::kProved) + count(ProofVerdict::kProvedFor);
    if (count(ProofVerdict::kDiffers) != 0) return kDiffer;
    const bool isWhole = proved + count(ProofVerdict::kNotApplicable) == std::ssize(outcomes);
    return proved != 0 && isWhole ? kAgree : kCouldNotRun;
}

// Nobody has asked for a proof of these values.
void warnOfMadeUp(const std::vector<ProofOutcome>& outcomes) {
    for (const ProofOutcome& outcome : outcomes)
        for (const check::ProofParameters& parameters : outcome.parameters)
            if (parameters.isMadeUp)
                return complain(parameters.range +
                                ": parameters with made-up values, since the input has no memory "
                                "of a dispatch. The proof is for no program's values.");
}

// Adds its verdicts to `verdicts`.
Result<int> proveOne(const CheckOptions& options, std::vector<ProofVerdict>& verdicts) {
    const auto job = jobOf(options);
    if (!job) return job.error();
    auto subject = subjectOf(*job);
    if (!subject) return subject.error();
    auto check = checkOptions(options, *job);
    if (!check) return check.error();
    check::ProofOptions proof{.check = std::move(*check)};
    proof.hasDevice = job->isRecorded || !options.rewrite.device.empty();
    proof.parameters = options.parameters;
    if (options.isEachClass) {
        proof.hasDevice = subject->asRecorded = false;
        const rewrite::BackEnd chosen = job->request.target.backEnd;
        const bool isChosen = !options.rewrite.backEnd.empty() && chosen != rewrite::BackEnd::kAuto;
        proof.check.backEnds = isChosen ? std::vector{chosen} : check::Options{}.backEnds;
    }
    std::vector<uint32_t> against;
    if (!options.against.empty()) {
        auto words = readModule(options.against);
        if (!words) return words.error();
        against = std::move(*words);
        subject->rewritten = against;
        proof.check.backEnds = {rewrite::BackEnd::kAuto};
    }
    const std::vector<ProofOutcome> outcomes = check::prove(*subject, proof);
    for (const ProofOutcome& outcome : outcomes) verdicts.push_back(outcome.verdict);
    warnOfMadeUp(outcomes);
    if (options.json)
        printJson(std::cout, options.rewrite.input, outcomes);
    else
        printText(std::cout, outcomes);
    return statusOf(outcomes);
}

// Of many, the last line is their sum.
int proveAll(const CheckOptions& options) {
    std::vector<ProofVerdict> verdicts;
    size_t unread = 0;
    const int status = forInputs(options, [&](const CheckOptions& one) {
        auto result = proveOne(one, verdicts);
        if (!result) ++unread;
        return result;
    });
    if (!options.json && verdicts.size() + unread > 1) printSum(std::cout, verdicts, unread);
    return status;
}

}  // namespace

void addProveCommand(CLI::App& app, int& status) {
    CLI::App* command = app.add_subcommand(
        "prove", "Show that a rewritten module is right for all contents of memory");
    auto options = std::make_shared<CheckOptions>();
    addInputOptions(*command, *options);
    addMemoryOptions(*command, *options);
    addRewriteOptions(*command, options->rewrite);
    command
        ->add_option("--parameters", options->parameters,
                     "Up to so many bytes of memory that decide addresses, sizes or branches count "
                     "as parameters of the dispatch: the proof is for the values that they have")
        ->option_text("BYTES");
    command
        ->add_flag("--each-class", options->isEachClass,
                   "Rewrite a request for each class of devices, not for its own device")
        ->excludes("--device");
    command->footer(
        "Exit status: 0 something is proved and nothing that applies is not, 1 something differs, "
        "2 else.");
    command->callback([options, &status] { status = proveAll(*options); });
}

}  // namespace coopvk::tool
