// SPDX-License-Identifier: Apache-2.0
#include "rewrite/rewrite_job.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <spirv/unified1/spirv.hpp11>

#include "device/policy.hpp"
#include "devices.hpp"
#include "failure.hpp"
#include "input_file.hpp"
#include "report/traits_json.hpp"
#include "rewrite/specialization.hpp"
#include "settings/settings.hpp"

namespace coopvk::tool {
namespace {

using rewrite::Result;

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

// GLSL, Slang, or what spirv-dis printed.
bool isText(const std::string& bytes) {
    return std::ranges::none_of(bytes, [](unsigned char byte) {
        return byte == 0x7f || (byte < ' ' && (byte < '\t' || byte > '\r'));
    });
}

Result<std::vector<uint32_t>> wordsOf(const std::string& bytes, const std::string& path) {
    constexpr size_t kHeaderSize = 20;
    if (bytes.empty()) return failure(path + " is empty");
    if (isText(bytes))
        return failure(
            path + " is no SPIR-V, but text: compile it (glslang -V) or assemble it (spirv-as)");
    std::vector<uint32_t> words(std::max<size_t>(bytes.size() / 4, 1));
    std::memcpy(words.data(), bytes.data(), std::min(bytes.size(), words.size() * 4));
    // A module may have either order of bytes, which its first word shows.
    const auto swapped = [](uint32_t word) {
        return word >> 24 | (word >> 8 & 0xff00u) | (word << 8 & 0xff0000u) | word << 24;
    };
    if (swapped(words.front()) == spv::MagicNumber)
        std::ranges::transform(words, words.begin(), swapped);
    if (words.front() != spv::MagicNumber)
        return failure(path + " is no SPIR-V: it does not begin with the magic number 0x07230203");
    if (bytes.size() % 4 != 0 || bytes.size() < kHeaderSize)
        return failure(path + " is no whole SPIR-V: it has " + std::to_string(bytes.size()) +
                       " bytes");
    return words;
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
    const auto bytes = readFile(text);
    if (!bytes) return bytes.error();
    const auto json = nlohmann::ordered_json::parse(*bytes, nullptr, false);
    if (json.is_discarded()) return failure(text + " is no JSON");
    if (json.empty()) return failure(text + " describes no device");
    auto traits = layer::traitsFromJson(json);
    if (!traits) return failure(text + ": " + traits.error().message);
    return traits;
}

// A module alone, or a request that the layer wrote beside one.
Result<RewriteJob> readJob(const std::string& path) {
    const auto bytes = readFile(path);
    if (!bytes) return bytes.error();
    RewriteJob job;
    std::string shader = path;
    if (bytes->starts_with('{')) {
        const auto json = nlohmann::ordered_json::parse(*bytes, nullptr, false);
        if (json.is_discarded()) return failure(path + " is no JSON");
        auto request = layer::requestFromJson(json);
        if (!request) return failure(path + ": " + request.error().message);
        job.request = std::move(*request);
        job.isRecorded = true;
        job.folder = std::filesystem::path(path).parent_path().string();
        if (json.contains("dispatch")) {
            auto dispatch = layer::dispatchFromJson(json["dispatch"]);
            if (!dispatch) return failure(path + ": " + dispatch.error().message);
            job.dispatch = std::move(*dispatch);
        }
        shader = std::filesystem::path(path).replace_filename(job.request.shader).string();
    } else {
        job.request.specialization.emplace();
    }
    const auto module = job.isRecorded ? readFile(shader) : bytes;
    if (!module) return module.error();
    auto words = wordsOf(*module, shader);
    if (!words) return words.error();
    job.words = std::move(*words);
    return job;
}

Result<bool> applyDevice(const RewriteOptions& options, RewriteJob& job) {
    rewrite::Target& target = job.request.target;
    if (!options.device.empty()) {
        auto traits = findDevice(options.device);
        if (!traits) return traits.error();
        target.device = std::move(*traits);
        target.subgroupSize = target.device.subgroupSize;
    } else if (options.subgroupSize != 0 && !job.isRecorded) {
        target.device.subgroupSize = options.subgroupSize;
        target.device.minSubgroupSize = options.subgroupSize;
        target.device.maxSubgroupSize = options.subgroupSize;
    } else if (!job.isRecorded && !options.knowsSizes) {
        return failure("give --subgroup-size, --device or both");
    }
    if (options.subgroupSize != 0) target.subgroupSize = options.subgroupSize;
    return true;
}

Result<bool> applyChoices(const RewriteOptions& options, rewrite::Target& target) {
    std::vector<std::string> complaints;
    const auto policy = layer::EmulatePolicy::parse(options.emulate, complaints);
    if (!complaints.empty()) return failure(complaints.front());
    if (policy.mode == layer::EmulatePolicy::Mode::kList) target.emulated = policy.list;
    constexpr auto kHalves = rewrite::Extension::kKhrShaderFloat16Int8;
    if (options.emulate == "all") {
        target.emulated = rewrite::ExtensionSet::all();
        if (!target.device.shaderFloat16) target.emulated.insert(kHalves);
    }
    if (target.emulated.contains(kHalves)) layer::emulateHalves(target.device);
    if (!options.backEnd.empty()) {
        const auto backEnd = rewrite::backEndFromName(options.backEnd);
        if (!backEnd) return failure("unknown back-end '" + options.backEnd + "'");
        target.backEnd = *backEnd;
    }
    if (!options.elementLayout.empty()) {
        const auto layout = rewrite::elementLayoutFromName(options.elementLayout);
        if (!layout) return failure("unknown layout of elements '" + options.elementLayout + "'");
        target.elementLayout = *layout;
    }
    if (!options.numerics.empty()) {
        const auto numerics = rewrite::numericsFromName(options.numerics);
        if (!numerics) return failure("unknown numerics '" + options.numerics + "'");
        target.numerics = *numerics;
    }
    const auto tuning = rewrite::matrixTuningFromText(options.tune);
    if (!tuning) return tuning.error();
    if (!options.tune.empty()) target.tuning = *tuning;
    return true;
}

// Vulkan passes over constants that a module lacks, but who names one here has mistaken it.
Result<bool> findConstant(uint32_t id, const std::string& text, std::span<const uint32_t> words) {
    const std::vector<uint32_t> ids = specializationIds(words);
    if (std::ranges::binary_search(ids, id)) return true;
    if (ids.empty())
        return failure("--spec " + text + ": the module has no specialization constants");
    std::string list;
    for (const uint32_t one : ids) list += (list.empty() ? "" : ", ") + std::to_string(one);
    return failure("--spec " + text + ": the module has no constant with the id " +
                   std::to_string(id) + ", but " + list);
}

Result<bool> applySpecialization(const RewriteOptions& options, std::span<const uint32_t> words,
                                 layer::RecordedRequest& request) {
    for (const std::string& text : options.specialization) {
        const auto value = parseSpecialization(text);
        if (!value) return value.error();
        if (const auto found = findConstant(value->constantId, text, words); !found)
            return found.error();
        if (!request.specialization) request.specialization.emplace();
        std::erase_if(*request.specialization, [&](const layer::RecordedConstant& constant) {
            return constant.constantId == value->constantId;
        });
        const auto bytes = std::span(value->bytes).first(value->size);
        request.specialization->push_back({value->constantId, {bytes.begin(), bytes.end()}});
    }
    return true;
}

}  // namespace

const std::map<std::string, rewrite::Stage, std::less<>>& stagesByName() { return kStages; }

rewrite::Result<std::vector<uint32_t>> readModule(const std::string& path) {
    const auto bytes = readFile(path);
    if (!bytes) return bytes.error();
    return wordsOf(*bytes, path);
}

rewrite::Result<RewriteJob> makeRewriteJob(const RewriteOptions& options) {
    auto job = readJob(options.input);
    if (!job) return job;
    layer::RecordedRequest& request = job->request;
    if (const auto done = applyDevice(options, *job); !done) return done.error();
    if (const auto done = applyChoices(options, request.target); !done) return done.error();
    if (const auto done = applySpecialization(options, job->words, request); !done)
        return done.error();
    if (!options.stage.empty()) request.stage = kStages.at(options.stage);
    if (!options.entryPoint.empty()) request.entryPoint = options.entryPoint;
    if (!options.rewriteLimit.empty()) {
        const auto steps = layer::stepsFromText(options.rewriteLimit);
        if (!steps) return failure("no number of steps: '" + options.rewriteLimit + "'");
        request.maxSteps = *steps;
    }
    request.validate = request.validate || options.validate;
    return job;
}

}  // namespace coopvk::tool
