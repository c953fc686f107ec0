// SPDX-License-Identifier: Apache-2.0
//
// `coopvk check`: executes one module natively and rewritten, and says where they part.
#include <algorithm>
#include <iostream>
#include <memory>

#include "check/command/check_html.hpp"
#include "check/command/check_options.hpp"
#include "check/command/check_output.hpp"
#include "check/command/vulkan_device.hpp"
#include "check/debug/debug_command.hpp"
#include "compare/compare_commands.hpp"
#include "coopvk_reference/unit_sums.hpp"
#include "failure.hpp"
#include "rewrite/rewrite_job.hpp"

namespace coopvk::tool {
namespace {

using rewrite::Result;

int statusOf(const std::vector<check::Outcome>& outcomes) {
    const auto verdict = &check::Outcome::verdict;
    if (std::ranges::any_of(outcomes, check::isFault, verdict)) return kDiffer;
    const bool didNotRun = std::ranges::any_of(outcomes, [](const check::Outcome& outcome) {
        return outcome.verdict != check::Verdict::kAgrees &&
               outcome.verdict != check::Verdict::kNotApplicable;
    });
    const bool agrees = std::ranges::count(outcomes, check::Verdict::kAgrees, verdict) > 0;
    return agrees && !didNotRun ? kAgree : kCouldNotRun;
}

// The sizes of the device that were asked for; all, where it has none of them.
void applyDevice(VulkanDevice& device, const CheckOptions& options, check::Options& check) {
    if (!options.json) std::cout << "on " << device.name() << '\n';
    const std::vector<uint32_t> sizes = device.subgroupSizes();
    std::erase_if(check.lanes,
                  [&](uint32_t lanes) { return std::ranges::count(sizes, lanes) == 0; });
    if (check.lanes.empty()) check.lanes = sizes;
    check.device = [&device](const check::DeviceRequest& request) {
        return device.execute(request);
    };
}

Result<int> checkOne(const CheckOptions& options) {
    const auto job = jobOf(options);
    if (!job) return job.error();
    auto subject = subjectOf(*job);
    if (!subject) return subject.error();
    auto check = checkOptions(options, *job);
    if (!check) return check.error();
    std::vector<uint32_t> against;
    if (!options.against.empty()) {
        auto words = readModule(options.against);
        if (!words) return words.error();
        against = std::move(*words);
        subject->rewritten = against;
        check->backEnds = {rewrite::BackEnd::kAuto};
    }
    if (options.debugs) return debug(*subject, *check, options.commands);
    std::optional<VulkanDevice> device;
    if (options.onDevice) {
        device.emplace(options.index);
        applyDevice(*device, options, *check);
    }
    CheckPage page(options.rewrite.input);
    if (!options.html.empty())
        check->replays = [&page](const check::Replay& replay) { page.add(replay); };
    const std::vector<check::Outcome> outcomes = check::check(*subject, *check);
    if (!options.html.empty() && !page.write(options.html, outcomes))
        return failure("cannot write " + options.html);
    if (options.json)
        printJson(std::cout, options.rewrite.input, check->memory.seed, outcomes);
    else
        printText(std::cout, outcomes);
    return statusOf(outcomes);
}

Result<int> checkOneOrFail(const CheckOptions& options) {
    try {
        return checkOne(options);
    } catch (const std::runtime_error& error) {  // of the device
        return failure(error.what());
    }
}

}  // namespace

void addCheckCommand(CLI::App& app, int& status) {
    CLI::App* command = app.add_subcommand(
        "check", "Execute one module natively and rewritten, and say where they part");
    auto options = std::make_shared<CheckOptions>();
    addInputOptions(*command, *options);
    command
        ->add_option_function<std::string>(
            "--sums",
            [options](const std::string& name) {
                options->check.unit = reference::findUnit(name)->choice;
            },
            "Matrices add products as this GPU's: ada, hopper, cdna3 or rdna4")
        ->check(CLI::IsMember(reference::unitNames()));
    addMemoryOptions(*command, *options);
    addRewriteOptions(*command, options->rewrite);
    auto* onDevice = command->add_flag(
        "--on-device", options->onDevice,
        "Execute the module on a Vulkan device in place of the rewritten one here, and compare");
    command
        ->add_option("--index", options->index,
                     "With --on-device: which of the devices that the environment leaves")
        ->default_str("0")
        ->needs(onDevice);
    command
        ->add_option("--html", options->html,
                     "Write a page with a picture of each stored matrix that differs")
        ->option_text("FILE")
        ->excludes(onDevice);
    auto* debugs = command->add_flag(
        "--debug", options->debugs,
        "Debug the lanes of the first fault, or of the module: commands are from the terminal, or "
        "from the standard input; `help` lists them");
    debugs->excludes(onDevice);
    command
        ->add_option("--commands", options->commands,
                     "With --debug: take the commands from this file")
        ->option_text("FILE")
        ->needs(debugs);
    command->callback([options, &status] { status = forInputs(*options, checkOneOrFail); });
}

}  // namespace coopvk::tool
