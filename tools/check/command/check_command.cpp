// SPDX-License-Identifier: Apache-2.0
//
// `coopvk check`: executes one module natively and rewritten, and says where they part.
#include <algorithm>
#include <cstring>
#include <iostream>
#include <memory>

#include "check/command/check_given.hpp"
#include "check/command/check_output.hpp"
#include "check/command/vulkan_device.hpp"
#include "compare/compare_commands.hpp"
#include "coopvk_reference/unit_sums.hpp"
#include "failure.hpp"
#include "input_file.hpp"
#include "rewrite/rewrite_job.hpp"

namespace coopvk::tool {
namespace {

using rewrite::Result;

struct CheckOptions {
    RewriteOptions rewrite;
    check::Options check;
    std::vector<uint32_t> lanes, groups, push;
    std::string against;
    bool anyValues = false;
    bool onDevice = false;
    uint32_t index = 0;  // of that device
    bool json = false;
};

bool isPowerOfTwo(uint32_t number) { return (number & (number - 1)) == 0; }

Result<bool> applyLanes(const CheckOptions& options, const RewriteJob& job, check::Options& check) {
    for (const uint32_t lanes : options.lanes) {
        if (lanes < reference::kMinLanes || lanes > reference::kMaxLanes || !isPowerOfTwo(lanes))
            return failure("--lanes takes powers of two from 4 to 128");
    }
    if (job.isRecorded) check.lanes = {job.request.target.subgroupSize};
    if (!options.lanes.empty()) check.lanes = options.lanes;
    return true;
}

void applyBackEnd(const CheckOptions& options, const RewriteJob& job, check::Options& check) {
    const rewrite::BackEnd chosen = job.request.target.backEnd;
    if (job.isRecorded || (!options.rewrite.backEnd.empty() && chosen != rewrite::BackEnd::kAuto))
        check.backEnds = {chosen};
}

Result<check::Options> checkOptions(const CheckOptions& options, const RewriteJob& job) {
    check::Options check = options.check;
    if (const auto done = applyLanes(options, job, check); !done) return done.error();
    applyBackEnd(options, job, check);
    for (size_t i = 0; i < options.groups.size(); ++i) check.groups.at(i) = options.groups[i];
    const auto push = std::as_bytes(std::span(options.push));
    check.memory.pushConstants.assign(push.begin(), push.end());
    if (job.dispatch) {
        if (options.groups.empty()) check.groups = job.dispatch->groups;
        auto given = givenMemory(*job.dispatch, job.folder);
        if (!given) return given.error();
        check.memory.given = std::move(*given);
        if (push.empty()) check.memory.pushConstants = job.dispatch->pushConstants;
        for (const std::string& line : job.dispatch->missing) complain(line + " was not kept");
    }
    if (options.anyValues) check.memory.values = check::Values::kAny;
    check.moreValues = check.moreSpecials = !options.anyValues;
    check.moreParameters = options.push.empty();
    check.moreGroups = options.groups.empty();
    return check;
}

Result<check::Subject> subjectOf(const RewriteJob& job) {
    const layer::RecordedRequest& request = job.request;
    if (request.stage != rewrite::Stage::kCompute) return failure("it is no compute shader");
    if (!request.specialization) return failure(layer::kSpecializationOutOfRange);
    check::Subject subject{.words = job.words, .entryPoint = request.entryPoint};
    for (const layer::RecordedConstant& constant : *request.specialization) {
        check::SpecializationValue value{.constantId = constant.constantId};
        value.size = static_cast<uint32_t>(std::min(constant.bytes.size(), sizeof(value.bits)));
        std::memcpy(&value.bits, constant.bytes.data(), value.size);
        subject.specialization.push_back(value);
    }
    subject.target = request.target;
    subject.asRecorded = job.isRecorded;
    subject.maxSteps = request.maxSteps;
    return subject;
}

// Without a device, the module is rewritten for the reference device.
Result<RewriteJob> jobOf(const CheckOptions& options) {
    RewriteOptions rewrite = options.rewrite;
    rewrite.knowsSizes = true;
    auto job = makeRewriteJob(rewrite);
    if (job && !job->isRecorded && options.rewrite.device.empty())
        job->request.target.device = check::referenceTraits();
    return job;
}

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
    std::optional<VulkanDevice> device;
    if (options.onDevice) {
        device.emplace(options.index);
        applyDevice(*device, options, *check);
    }
    const std::vector<check::Outcome> outcomes = check::check(*subject, *check);
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

// The worst status of all inputs: of an archive, each request in it.
int runCheck(CheckOptions options) {
    const std::string given = options.rewrite.input;
    int status = kAgree;
    for (const std::string& input : requestsOf(given)) {
        options.rewrite.input = input;
        if (input != given && !options.json) std::cout << input << ":\n";
        const auto result = checkOneOrFail(options);
        if (!result) complain(result.error().message);
        const int one = result ? *result : kCouldNotRun;
        if (one == kDiffer || status == kAgree) status = one;
    }
    return status;
}

void addMemoryOptions(CLI::App& command, CheckOptions& options) {
    check::MemoryChoice& memory = options.check.memory;
    command.add_option("--seed", memory.seed, "Chooses what is in memory, and the schedules")
        ->default_str("1");
    command.add_flag("--any-values", options.anyValues,
                     "Fill memory with fractions and any bytes, not with integers from -4 to 4");
    command
        .add_option_function<uint64_t>(
            "--buffer-size",
            [&memory](uint64_t bytes) {
                memory.bufferSize = bytes;
                memory.growsBuffers = false;
            },
            "Bytes of a buffer whose type has no end; without it, 65536, or more if the module "
            "accesses more")
        ->check(CLI::Range(uint64_t{16}, uint64_t{1} << 30));
    command.add_option("--push", options.push, "Push constants, 32 bits each, from the first byte")
        ->option_text("N,...")
        ->delimiter(',')
        ->allow_extra_args(false);
    command.add_option("--groups", options.groups, "Workgroups")
        ->option_text("X,Y,Z")
        ->delimiter(',')
        ->expected(1, 3)
        ->allow_extra_args(false);
}

void addRewriteOptions(CLI::App& command, RewriteOptions& options) {
    command.add_option("--device", options.device,
                       "The device for which to rewrite, as for `coopvk rewrite`; without it, the "
                       "reference device");
    command
        .add_option("--spec", options.specialization,
                    "A specialization constant; TYPE is bool, s8 ... u64, f32 or f64")
        ->option_text("ID=VALUE[:TYPE]")
        ->allow_extra_args(false);
    command.add_option("--emulate", options.emulate, "all, or Vulkan names of extensions")
        ->default_str("all");
    command.add_option("--element-layout", options.elementLayout,
                       "Which invocation holds which element of a matrix, in the module and where "
                       "it is rewritten: nvidia, rdna3 or rdna4");
    command.add_option("--numerics", options.numerics,
                       "How the rewritten module computes floats: fast or same");
    command.add_option("--back-end", options.backEnd,
                       "What matrices become: core or native; without it, both");
    command.add_option("--entry-point", options.entryPoint,
                       "The entry point, if the module has several");
    command
        .add_option("--rewrite-limit", options.rewriteLimit,
                    "Refuse a module whose rewrite takes more steps, as `coopvk rewrite` does")
        ->option_text("STEPS")
        ->default_str("1G");
}

}  // namespace

void addCheckCommand(CLI::App& app, int& status) {
    CLI::App* command = app.add_subcommand(
        "check", "Execute one module natively and rewritten, and say where they part");
    auto options = std::make_shared<CheckOptions>();
    options->check.steps = uint64_t{1} << 24;
    command
        ->add_option("input", options->rewrite.input,
                     "A SPIR-V module, the JSON of a request that the layer dumped, or the file of "
                     "`coopvk report`")
        ->required();
    command
        ->add_option("--lanes", options->lanes,
                     "Subgroup sizes; without it, 4 to 128, or that of the request")
        ->option_text("N,...")
        ->delimiter(',')
        ->allow_extra_args(false);
    command->add_option("--against", options->against,
                        "Execute this SPIR-V module in place of the rewritten one");
    command
        ->add_option_function<std::string>(
            "--sums",
            [options](const std::string& name) {
                options->check.unit = reference::findUnit(name)->choice;
            },
            "Matrices add products as this GPU's: ada, hopper, cdna3 or rdna4")
        ->check(CLI::IsMember(reference::unitNames()));
    command
        ->add_option("--steps", options->check.steps,
                     "Stop where a subgroup has executed so many blocks; 0: never")
        ->default_str("16777216");
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
    command->add_flag("--json", options->json, "Print JSON");
    command->callback([options, &status] { status = runCheck(*options); });
}

}  // namespace coopvk::tool
