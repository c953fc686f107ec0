// SPDX-License-Identifier: Apache-2.0
//
// `coopvk prove`: shows that a rewritten module is right for all contents of memory.
#include <iostream>
#include <memory>

#include "check/command/check_options.hpp"
#include "check/command/check_output.hpp"
#include "commands.hpp"
#include "compare/compare_commands.hpp"
#include "failure.hpp"
#include "input_file.hpp"
#include "prove.hpp"

namespace coopvk::tool {
namespace {

using check::ProofOutcome;
using check::ProofVerdict;
using rewrite::Result;

Result<int> proveOne(const CheckOptions& options) {
    const auto job = jobOf(options);
    if (!job) return job.error();
    auto subject = subjectOf(*job);
    if (!subject) return subject.error();
    auto check = checkOptions(options, *job);
    if (!check) return check.error();
    check::ProofOptions proof{.check = std::move(*check)};
    proof.hasDevice = job->isRecorded || !options.rewrite.device.empty();
    std::vector<uint32_t> against;
    if (!options.against.empty()) {
        auto words = readModule(options.against);
        if (!words) return words.error();
        against = std::move(*words);
        subject->rewritten = against;
        proof.check.backEnds = {rewrite::BackEnd::kAuto};
    }
    const std::vector<ProofOutcome> outcomes = check::prove(*subject, proof);
    if (options.json)
        printJson(std::cout, options.rewrite.input, outcomes);
    else
        printText(std::cout, outcomes);
    int status = kCouldNotRun;
    for (const ProofOutcome& outcome : outcomes) {
        if (outcome.verdict == ProofVerdict::kDiffers) return kDiffer;
        if (outcome.verdict == ProofVerdict::kProved) status = kAgree;
    }
    for (const ProofOutcome& outcome : outcomes)
        if (outcome.verdict != ProofVerdict::kProved &&
            outcome.verdict != ProofVerdict::kNotApplicable)
            status = kCouldNotRun;
    return status;
}

int runProve(CheckOptions options) {
    const std::string given = options.rewrite.input;
    int status = kAgree;
    for (const std::string& input : requestsOf(given)) {
        options.rewrite.input = input;
        if (input != given && !options.json) std::cout << input << ":\n";
        const auto result = proveOne(options);
        if (!result) complain(result.error().message);
        const int one = result ? *result : kCouldNotRun;
        if (one == kDiffer || status == kAgree) status = one;
    }
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
    command->callback([options, &status] { status = runProve(*options); });
}

}  // namespace coopvk::tool
