// SPDX-License-Identifier: Apache-2.0
//
// `coopvk rewrite`: one SPIR-V module, offline.
#include <algorithm>
#include <charconv>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <optional>
#include <spirv/unified1/spirv.hpp11>

#include "commands.hpp"
#include "device_json.hpp"
#include "devices.hpp"
#include "policy.hpp"
#include "specialization.hpp"

namespace coopvk::tool {
namespace {

using rewrite::Error;
using rewrite::ErrorCode;
using rewrite::Result;

struct Options {
    std::string input;
    std::string output;
    uint32_t subgroupSize = 0;
    std::vector<std::string> specialization;
    std::string device;
    std::string emulate = "all";
    std::string backEnd = "auto";
    std::string tune;
    std::string entryPoint;
    std::string stage = "compute";
    bool text = false;
    bool validate = false;
    bool verbose = false;
};

// Names as glslang has them.
const std::map<std::string, rewrite::Stage, std::less<>> kStages = {
    {"vertex", rewrite::Stage::kVertex},
    {"tesscontrol", rewrite::Stage::kTessellationControl},
    {"tesseval", rewrite::Stage::kTessellationEvaluation},
    {"geometry", rewrite::Stage::kGeometry},
    {"fragment", rewrite::Stage::kFragment},
    {"compute", rewrite::Stage::kCompute},
    {"task", rewrite::Stage::kTask},
    {"mesh", rewrite::Stage::kMesh},
    {"raygen", rewrite::Stage::kRaygen},
    {"anyhit", rewrite::Stage::kAnyHit},
    {"closesthit", rewrite::Stage::kClosestHit},
    {"miss", rewrite::Stage::kMiss},
    {"intersection", rewrite::Stage::kIntersection},
    {"callable", rewrite::Stage::kCallable},
};

Error failure(std::string message) { return {ErrorCode::kInvalidArgument, std::move(message)}; }

Result<std::vector<uint32_t>> readWords(const std::string& path) {
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    if (!file) return failure("cannot read " + path);
    const std::streamoff size = file.tellg();
    if (size % 4 != 0 || size == 0) return failure(path + " is no SPIR-V (size in bytes)");
    std::vector<uint32_t> words(static_cast<size_t>(size) / 4);
    file.seekg(0);
    file.read(reinterpret_cast<char*>(words.data()), size);
    if (!file) return failure("cannot read " + path);
    if (words.front() != spv::MagicNumber) return failure(path + " is no SPIR-V (magic number)");
    return words;
}

// "-" and the empty path are the standard output.
Result<bool> writeBytes(const std::string& path, const char* data, size_t size) {
    const auto length = static_cast<std::streamsize>(size);
    if (path.empty() || path == "-") {
        std::cout.write(data, length).flush();
        if (!std::cout) return failure("cannot write the standard output");
        return true;
    }
    std::ofstream file(path, std::ios::binary);
    file.write(data, length).flush();
    if (!file) return failure("cannot write " + path);
    return true;
}

// An index of this machine's devices, or a file of JSON.
Result<rewrite::DeviceTraits> findDevice(const std::string& text) {
    size_t index = 0;
    const char* end = text.data() + text.size();
    if (const auto parsed = std::from_chars(text.data(), end, index);
        parsed.ec == std::errc() && parsed.ptr == end) {
        const auto devices = queryDevices();
        if (!devices) return devices.error();
        if (index >= devices->size()) return failure("there is no device " + text);
        return (*devices)[index].facts.traits;
    }
    std::ifstream file(text);
    if (!file) return failure("cannot read " + text);
    const auto json = nlohmann::ordered_json::parse(file, nullptr, false);
    if (json.is_discarded()) return failure(text + " is no JSON");
    return traitsFromJson(json);
}

Result<rewrite::Target> makeTarget(const Options& options) {
    rewrite::Target target;
    if (!options.device.empty()) {
        auto traits = findDevice(options.device);
        if (!traits) return traits.error();
        target.device = std::move(*traits);
    } else if (options.subgroupSize != 0) {
        target.device.subgroupSize = options.subgroupSize;
        target.device.minSubgroupSize = options.subgroupSize;
        target.device.maxSubgroupSize = options.subgroupSize;
    } else {
        return failure("give --subgroup-size, --device or both");
    }
    target.subgroupSize =
        options.subgroupSize != 0 ? options.subgroupSize : target.device.subgroupSize;
    std::vector<std::string> complaints;
    const auto policy = layer::EmulatePolicy::parse(options.emulate, complaints);
    if (!complaints.empty()) return failure(complaints.front());
    if (policy.mode == layer::EmulatePolicy::Mode::kList) target.emulated = policy.list;
    const auto backEnd = rewrite::backEndFromName(options.backEnd);
    if (!backEnd) return failure("unknown back-end '" + options.backEnd + "'");
    target.backEnd = *backEnd;
    const auto tuning = rewrite::matrixTuningFromText(options.tune);
    if (!tuning) return tuning.error();
    target.tuning = *tuning;
    return target;
}

Result<rewrite::Rewritten> rewriteWords(const Options& options, const rewrite::Target& target,
                                        std::span<const uint32_t> words) {
    if (rewrite::scan(words, target.emulated).empty()) {
        std::cerr << "coopvk: " << options.input << " uses nothing that is emulated; unchanged\n";
        rewrite::Rewritten same;
        same.words.assign(words.begin(), words.end());
        return same;
    }
    std::vector<SpecializationValue> values;
    for (const std::string& text : options.specialization) {
        auto value = parseSpecialization(text);
        if (!value) return value.error();
        values.push_back(*value);
    }
    std::vector<rewrite::SpecializationEntry> entries;
    for (const SpecializationValue& value : values) entries.push_back(value.entry());
    rewrite::Request request;
    request.words = words;
    request.stage = kStages.at(options.stage);
    request.entryPoint = options.entryPoint;
    request.specialization = entries;
    return rewrite::rewrite(request, target);
}

Result<bool> runRewrite(const Options& options) {
    if (options.output.empty() && !options.text) return failure("give -o OUT.spv or --text");
    const auto words = readWords(options.input);
    if (!words) return words.error();
    const auto target = makeTarget(options);
    if (!target) return target.error();
    const auto rewritten = rewriteWords(options, *target, *words);
    if (!rewritten)
        return Error{rewritten.error().code, options.input + ": " + rewritten.error().message};
    if (options.verbose) {
        for (const std::string& note : rewritten->notes) std::cerr << "coopvk: " << note << '\n';
    }
    if (options.validate) {
        if (const auto problem = rewrite::validate(rewritten->words)) {
            return failure("the output is not valid: " + *problem);
        }
    }
    if (options.text) {
        const std::string text = rewrite::disassemble(rewritten->words);
        return writeBytes(options.output, text.data(), text.size());
    }
    return writeBytes(options.output, reinterpret_cast<const char*>(rewritten->words.data()),
                      rewritten->words.size() * sizeof(uint32_t));
}

}  // namespace

void addRewriteCommand(CLI::App& app, int& status) {
    CLI::App* command = app.add_subcommand("rewrite", "Rewrite one SPIR-V module into core SPIR-V");
    auto options = std::make_shared<Options>();
    command->add_option("input", options->input, "The module, as SPIR-V words")->required();
    command->add_option("-o,--output", options->output, "Where the result goes; - for stdout");
    command->add_option("--subgroup-size", options->subgroupSize,
                        "Lanes of a subgroup: a power of two from 4 to 128");
    command->add_option("--device", options->device,
                        "The device: a number of `coopvk info`, or a file of its --json");
    command
        ->add_option("--spec", options->specialization,
                     "A specialization constant; TYPE is bool, s8 ... u64, f32 or f64")
        ->option_text("ID=VALUE[:TYPE]")
        ->allow_extra_args(false);
    command->add_option("--emulate", options->emulate, "all, or Vulkan names of extensions")
        ->capture_default_str();
    command->add_option("--back-end", options->backEnd, "As the layer's: auto, core or native")
        ->capture_default_str();
    command
        ->add_option("--tune", options->tune,
                     "Layout of matrices, for measurements: grid-rows=N, row-block=N, "
                     "column-block=N, pairs=k or pairs=n, unroll=N")
        ->option_text("NAME=VALUE,...");
    std::vector<std::string> stages;
    for (const auto& [name, stage] : kStages) stages.push_back(name);
    command->add_option("--stage", options->stage, "Shader stage of the module")
        ->capture_default_str()
        ->check(CLI::IsMember(stages));
    command->add_option("--entry-point", options->entryPoint, "Its entry point, if it has several");
    command->add_flag("--text", options->text, "Write text in place of SPIR-V words");
    command->add_flag("--validate", options->validate, "Fail if spirv-val refuses the result");
    command->add_flag("-v,--verbose", options->verbose, "Say what was chosen and why");
    command->callback([options, &status] {
        const auto done = runRewrite(*options);
        if (done) return;
        std::cerr << "coopvk: " << done.error().message << '\n';
        status = 1;
    });
}

}  // namespace coopvk::tool
