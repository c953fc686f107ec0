// SPDX-License-Identifier: Apache-2.0
//
// `coopvk rewrite`: rewrites one SPIR-V module offline.
#include <fstream>
#include <iostream>

#include "commands.hpp"
#include "coopvk/held_matrices.hpp"
#include "failure.hpp"
#include "info/info_lists.hpp"
#include "input_file.hpp"
#include "rewrite/rewrite_job.hpp"

namespace coopvk::tool {
namespace {

using rewrite::Error;
using rewrite::Result;

// "-" and the empty path are the standard output, whose errors the program tells at its end.
Result<bool> writeBytes(const std::string& path, const char* data, size_t size) {
    const auto length = static_cast<std::streamsize>(size);
    if (path.empty() || path == "-") {
        std::cout.write(data, length);
        return true;
    }
    std::ofstream file(path, std::ios::binary);
    file.write(data, length).flush();
    if (!file) return failure("cannot write " + path);
    return true;
}

Result<rewrite::Rewritten> rewriteWords(const RewriteOptions& options, const RewriteJob& job) {
    const layer::RecordedRequest& recorded = job.request;
    const rewrite::Target& target = recorded.target;
    if (rewrite::scan(job.words, target.emulated, target.nativeFeatures).empty() &&
        !(target.addsShapes && rewrite::mayUseAddedShapes(job.words, target.device, target.emulated,
                                                          target.nativeFeatures)) &&
        !(target.replacesLayout && rewrite::mayDependOnLayout(job.words)) &&
        !(target.device.driverSubgroupSize != 0 && rewrite::usesSubgroups(job.words))) {
        complain(options.input + " uses nothing that is emulated; unchanged");
        rewrite::Rewritten same;
        same.words = job.words;
        return same;
    }
    if (!recorded.specialization) return failure(layer::kSpecializationOutOfRange);
    std::vector<rewrite::SpecializationEntry> entries;
    for (const layer::RecordedConstant& constant : *recorded.specialization) {
        entries.push_back(constant.entry());
    }
    rewrite::Request request;
    request.words = job.words;
    request.stage = recorded.stage;
    request.entryPoint = recorded.entryPoint;
    request.specialization = entries;
    request.maxSteps = recorded.maxSteps;
    return rewrite::rewrite(request, recorded.target);
}

// The one request in an archive; its dispatches repeat it.
Result<std::string> inputOf(const RewriteOptions& options) {
    std::vector<std::string> inputs = requestsOf(options.input);
    std::erase_if(inputs, [&](const std::string& input) {
        return input != options.input && input.find(".dispatch") != std::string::npos;
    });
    if (inputs.size() == 1) return inputs.front();
    std::string message = options.input + " has " + std::to_string(inputs.size()) + " requests";
    for (const std::string& input : inputs)
        message += (&input == &inputs.front() ? ": " : ", ") + input;
    return failure(message);
}

Result<bool> runRewrite(RewriteOptions options) {
    if (options.output.empty() && !options.text && !options.plan) {
        return failure("give -o OUT.spv, --text or --plan");
    }
    const auto input = inputOf(options);
    if (!input) return input.error();
    options.input = *input;
    auto job = makeRewriteJob(options);
    if (!job) return job.error();
    if (options.plan) printPlan(std::cout, job->request.target);
    if (options.output.empty() && !options.text) return true;
    if (options.lines || job->request.lines) job->words = rewrite::withLines(job->words);
    if (options.lines) job->words = rewrite::askForElements(job->words);
    const auto rewritten = rewriteWords(options, *job);
    const auto named = [&](const Error& error) {
        return Error{error.code, options.input + ": " + error.message};
    };
    if (!rewritten) return named(rewritten.error());
    for (const std::string& warning : rewritten->warnings) complain("warning: " + warning);
    if (options.verbose) {
        for (const std::string& note : rewritten->notes) complain(note);
        complain(std::to_string(rewritten->steps) + " steps");
    }
    if (job->request.validate) {
        if (const auto problem = rewrite::validate(rewritten->words)) {
            return named(layer::invalidOutput(*problem));
        }
    }
    if (options.text) {
        const std::string text = rewrite::disassemble(rewritten->words);
        return writeBytes(options.output, text.data(), text.size());
    }
    return writeBytes(options.output, reinterpret_cast<const char*>(rewritten->words.data()),
                      rewritten->words.size() * sizeof(uint32_t));
}

std::vector<std::string> stageNames() {
    std::vector<std::string> names;
    for (const auto& [name, stage] : stagesByName()) names.push_back(name);
    return names;
}

// What has no value.
void addFlags(CLI::App& command, RewriteOptions& options) {
    command.add_flag("--lines", options.lines,
                     "Keep from which instruction of the input each comes, as OpLine");
    command.add_flag("--text", options.text, "Write text in place of SPIR-V words");
    command.add_flag("--validate", options.validate, "Fail if spirv-val refuses the result");
    command.add_flag("--plan", options.plan, "Show what is decided by the device, and why");
    command.add_flag("-v,--verbose", options.verbose, "Say what was chosen and why");
}

// How matrices are lowered.
void addMatrixOptions(CLI::App& command, RewriteOptions& options) {
    command.add_option("--back-end", options.backEnd, "What matrices become: auto, core or native")
        ->default_str("auto");
    command
        .add_option("--element-layout", options.elementLayout,
                    "Which invocation holds which element: auto, free, nvidia, rdna3 or rdna4")
        ->default_str("auto");
    command
        .add_option("--numerics", options.numerics,
                    "How floats are computed: fast, or same: the same bits on every device")
        ->default_str("fast");
    command
        .add_option("--tune", options.tune,
                    "The layout of matrices, for measurements: grid-rows=N, row-block=N, "
                    "column-block=N, pairs=k or n, unroll=N, slice=N, slices=rolled or unrolled, "
                    "shared=f32 or f16, loops=joined or apart, tails=joined or apart, "
                    "sums=open or closed")
        ->option_text("NAME=VALUE,...");
}

}  // namespace

void addRewriteCommand(CLI::App& app, int& status) {
    CLI::App* command = app.add_subcommand("rewrite", "Rewrite one SPIR-V module into core SPIR-V");
    auto options = std::make_shared<RewriteOptions>();
    command
        ->add_option("IN.spv", options->input,
                     "A SPIR-V module; or the JSON of a request that the layer dumped, also in the "
                     "file of `coopvk report`: it is repeated unless other options change it")
        ->required();
    command->add_option("-o,--output", options->output,
                        "Write the result to this file; - is the standard output");
    command->add_option("--subgroup-size", options->subgroupSize,
                        "Lanes of a subgroup: a power of two from 4 to 128");
    command->add_option("--device", options->device,
                        "The device for which to rewrite: a number from `coopvk info`, or a file "
                        "with the output of `coopvk info --json`");
    command
        ->add_option("--spec", options->specialization,
                     "A specialization constant; TYPE is bool, s8 ... u64, f32 or f64")
        ->option_text("ID=VALUE[:TYPE]")
        ->allow_extra_args(false);
    command->add_option("--emulate", options->emulate, "all, or Vulkan names of extensions")
        ->default_str("all");
    addMatrixOptions(*command, *options);
    command->add_option("--stage", options->stage, "The shader stage")
        ->default_str("compute")
        ->check(CLI::IsMember(stageNames()));
    command->add_option("--entry-point", options->entryPoint,
                        "The entry point, if the module has several");
    command
        ->add_option("--rewrite-limit", options->rewriteLimit,
                     "Refuse a module that takes more steps, with K, M or G (thousands); 0: never")
        ->option_text("STEPS")
        ->default_str("1G");
    addFlags(*command, *options);
    command->callback([options, &status] {
        const auto done = runRewrite(*options);
        if (done) return;
        complain(done.error().message);
        status = 1;
    });
}

}  // namespace coopvk::tool
