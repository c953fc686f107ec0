// SPDX-License-Identifier: Apache-2.0
#include "check/command/check_options.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iostream>

#include "check/command/check_given.hpp"
#include "compare/compare_commands.hpp"
#include "failure.hpp"
#include "input_file.hpp"

namespace coopvk::tool {
namespace {

using rewrite::Result;

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

}  // namespace

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
    if (!request.specialization) return failure(layer::kSpecializationOutOfRange);
    check::Subject subject{.words = job.words, .entryPoint = request.entryPoint};
    for (const layer::RecordedConstant& constant : *request.specialization) {
        check::SpecializationValue value{.constantId = constant.constantId};
        value.size = static_cast<uint32_t>(std::min(constant.bytes.size(), sizeof(value.bits)));
        std::memcpy(&value.bits, constant.bytes.data(), value.size);
        subject.specialization.push_back(value);
    }
    if (job.isRecorded) subject.stage = request.stage;
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

void addInputOptions(CLI::App& command, CheckOptions& options) {
    options.check.steps = uint64_t{1} << 24;
    command
        .add_option("IN.spv", options.rewrite.input,
                    "A SPIR-V module, the JSON of a request that the layer dumped, or the file of "
                    "`coopvk report`")
        ->required();
    command
        .add_option("--lanes", options.lanes,
                    "Subgroup sizes; without it, 4 to 128, or that of the request")
        ->option_text("N,...")
        ->delimiter(',')
        ->allow_extra_args(false);
    command.add_option("--against", options.against,
                       "Execute this SPIR-V module in place of the rewritten one");
    command
        .add_option("--steps", options.check.steps,
                    "Stop where a subgroup has executed so many blocks; 0: never")
        ->default_str("16777216");
    command.add_flag("--json", options.json, "Print JSON");
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
        ->check(CLI::Range(uint32_t{1}, UINT32_MAX))
        ->expected(1, 3)
        ->allow_extra_args(false);
}

int forInputs(CheckOptions options,
              const std::function<Result<int>(const CheckOptions& options)>& run) {
    const std::string given = options.rewrite.input;
    int status = kAgree;
    const std::vector<std::string> inputs = requestsOf(given);
    if ((options.debugs || !options.html.empty()) && inputs.size() > 1) {
        complain(given + " has several requests: name one of them, as " + inputs.front());
        return kCouldNotRun;
    }
    for (const std::string& input : inputs) {
        options.rewrite.input = input;
        if (input != given && !options.json) std::cout << input << ":\n";
        const auto result = run(options);
        if (!result) complain(result.error().message);
        const int one = result ? *result : kCouldNotRun;
        if (one == kDiffer || status == kAgree) status = one;
    }
    return status;
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

}  // namespace coopvk::tool
