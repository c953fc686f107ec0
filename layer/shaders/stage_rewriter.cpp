// SPDX-License-Identifier: Apache-2.0
#include "shaders/stage_rewriter.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <format>

#include "objects/context.hpp"
#include "report/request_json.hpp"
#include "system/hash.hpp"

namespace coopvk::layer {
namespace {

using Clock = std::chrono::steady_clock;
using Entries = std::vector<rewrite::SpecializationEntry>;

struct Attempt {
    RewrittenRef rewritten;
    bool isCached = false;
};

RewriteKey makeKey(const StageRequest& request,
                   std::span<const rewrite::SpecializationEntry> entries, uint32_t size) {
    RewriteKey key;
    key.words = request.words;
    key.stage = static_cast<rewrite::Stage>(request.stage);
    key.subgroupSize = size;
    key.indexes64Bits = request.indexes64Bits;
    key.needsFullSubgroups = request.needsFullSubgroups;
    key.entryPoint = request.entryPoint == nullptr ? "" : request.entryPoint;
    for (const rewrite::SpecializationEntry& entry : entries) {
        const uint32_t head[] = {entry.constantId, static_cast<uint32_t>(entry.data.size())};
        const auto bytes = std::as_bytes(std::span(head));
        key.specialization.insert(key.specialization.end(), bytes.begin(), bytes.end());
        key.specialization.insert(key.specialization.end(), entry.data.begin(), entry.data.end());
    }
    return key;
}

rewrite::Target makeTarget(const DeviceContext& device, const StageRequest& request,
                           uint32_t size) {
    rewrite::Target target;
    target.device = device.facts.traits;
    target.subgroupSize = size;
    target.emulated = device.emulated;
    target.nativeFeatures = device.physical->nativeFeatures;
    target.addsShapes = device.addsShapes;
    target.indexes64Bits = request.indexes64Bits;
    target.needsFullSubgroups = request.needsFullSubgroups;
    const bool native =
        device.physical->nativeMatrices && device.facts.has(Feature::kNativeCooperativeMatrix);
    const Settings& settings = device.instance->settings;
    target.backEnd = native ? settings.backEnd : rewrite::BackEnd::kCore;
    target.elementLayout = device.physical->elementLayout;
    target.programLayout = device.physical->programLayout;
    target.numerics = settings.numerics;
    target.replacesLayout = device.replacesLayout;
    target.tuning = choicesAt(device.tuning, size);
    return target;
}

// What is needed to repeat a request. Without `entries`, the specialization data contradicts
// itself.
RecordedRequest recordOf(const DeviceContext& device, const StageRequest& request,
                         const rewrite::Target& target, const Entries* entries) {
    RecordedRequest record;
    record.stage = static_cast<rewrite::Stage>(request.stage);
    record.entryPoint = request.entryPoint == nullptr ? "" : request.entryPoint;
    record.target = target;
    record.validate = device.instance->settings.validateOutput;
    record.lines = device.instance->settings.lines;
    record.maxSteps = device.instance->settings.rewriteLimit;
    if (entries != nullptr) record.specialization.emplace();
    for (size_t i = 0; entries != nullptr && i < entries->size(); ++i) {
        const auto& [id, data] = (*entries)[i];
        record.specialization->push_back({id, {data.begin(), data.end()}});
    }
    return record;
}

// The request with its result: words, or why there are none, or both.
void dump(const DeviceContext& device, const StageRequest& request, const rewrite::Target& target,
          const Entries* entries, std::span<const uint32_t> words, const rewrite::Error* error) {
    InstanceContext& instance = *device.instance;
    if (!instance.dumps.isOn()) return;
    instance.dumps.write(*request.words, recordOf(device, request, target, entries), words,
                         error == nullptr ? nullptr : &error->message);
}

// Tries one subgroup size, from the cache or by rewriting.
rewrite::Result<Attempt> rewriteFor(DeviceContext& device, const StageRequest& request,
                                    const Entries& entries, uint32_t size) {
    RewriteKey key = makeKey(request, entries, size);
    if (RewrittenRef known = device.cache.find(key)) return Attempt{std::move(known), true};

    const rewrite::Target target = makeTarget(device, request, size);
    rewrite::Request input;
    const std::vector<uint32_t> lined = device.instance->settings.lines
                                            ? rewrite::withLines(request.words->words)
                                            : std::vector<uint32_t>();
    input.words = lined.empty() ? request.words->words : lined;
    input.stage = key.stage;
    input.entryPoint = key.entryPoint;
    input.specialization = entries;
    input.maxSteps = device.instance->settings.rewriteLimit;
    auto result = rewrite::rewrite(input, target);
    if (!result) {
        dump(device, request, target, &entries, {}, &result.error());
        return result.error();
    }
    auto value = std::make_shared<const rewrite::Rewritten>(std::move(*result));
    if (value->untouched) {
        device.cache.add(std::move(key), value);
        return Attempt{std::move(value)};
    }
    if (device.instance->settings.validateOutput) {
        if (const auto message = rewrite::validate(value->words)) {
            // The driver must not get a module that the validator refuses.
            const rewrite::Error error = invalidOutput(*message);
            dump(device, request, target, &entries, value->words, &error);
            return error;
        }
    }
    dump(device, request, target, &entries, value->words, nullptr);
    device.cache.add(std::move(key), value);
    return Attempt{std::move(value)};
}

bool fixesSubgroupSize(const rewrite::Rewritten& rewritten) {
    return std::ranges::any_of(rewrite::extensionTable(), [&](const rewrite::ExtensionInfo& info) {
        return info.fixesSubgroupSize && rewritten.used.contains(info.extension);
    });
}

void logRewrite(DeviceContext& device, const StageRequest& request, const StagePlan& plan,
                Clock::duration spent) {
    Log& log = device.log();
    if (!plan.isCached) {
        for (const std::string& warning : plan.rewritten->warnings) {
            log.warn("shader " + hexName(request.words->hash) + ": " + warning);
        }
    }
    if (!log.wants(LogLevel::kInfo)) return;
    std::string line = "rewrote ";
    line.append(stageName(request.stage)).append(" shader ").append(hexName(request.words->hash));
    const bool isForLanes = plan.rewritten->used.empty() && plan.rewritten->emulatesSubgroups;
    line.append(" for ").append(isForLanes ? "emulated subgroups"
                                           : purposeOf(plan.rewritten->used));
    line += std::format(" subgroup {} ({} -> {} words, {:.3f} ms)", plan.subgroupSize,
                        request.words->words.size(), plan.rewritten->words.size(),
                        std::chrono::duration<double, std::milli>(spent).count());
    log.info(line);
    if (!log.wants(LogLevel::kDebug)) return;
    for (const std::string& note : plan.rewritten->notes) {
        log.debug("shader " + hexName(request.words->hash) + ": " + note);
    }
}

void logFailure(DeviceContext& device, const StageRequest& request, std::string_view message) {
    std::string line = "cannot rewrite ";
    line.append(stageName(request.stage)).append(" shader ").append(hexName(request.words->hash));
    line.append(": ").append(message);
    device.log().error(line);
    if (device.statistics != nullptr) device.statistics->refused(line);
}

}  // namespace

bool readSpecialization(const VkSpecializationInfo* info,
                        std::vector<rewrite::SpecializationEntry>& entries) {
    entries.clear();
    if (info == nullptr || info->mapEntryCount == 0) return true;
    if (info->pMapEntries == nullptr) return false;
    const auto* data = static_cast<const std::byte*>(info->pData);
    for (const VkSpecializationMapEntry& entry :
         std::span(info->pMapEntries, info->mapEntryCount)) {
        const bool inside =
            entry.size <= info->dataSize && entry.offset <= info->dataSize - entry.size;
        if (!inside || (entry.size > 0 && data == nullptr)) return false;
        if (entry.size == 0) continue;
        entries.push_back({entry.constantID, {data + entry.offset, entry.size}});
    }
    return true;
}

VkResult resultOf(rewrite::ErrorCode code) {
    // VK_ERROR_INVALID_SHADER_NV belongs to an extension that applications do not enable.
    return code == rewrite::ErrorCode::kOutOfMemory ? VK_ERROR_OUT_OF_HOST_MEMORY
                                                    : VK_ERROR_UNKNOWN;
}

std::string_view stageName(VkShaderStageFlagBits stage) {
    return rewrite::stageName(static_cast<rewrite::Stage>(stage));
}

namespace {

// Rewrites for the first subgroup size for which the shader can be rewritten and fits. Sets what
// was rewritten, and the size. An error if there is none.
std::optional<rewrite::Error> rewriteForAnySize(DeviceContext& device, const StageRequest& request,
                                                const Entries& entries, StagePlan& plan) {
    const DeviceFacts& facts = device.facts;
    std::optional<rewrite::Error> firstError;
    std::vector<uint32_t> sizes = subgroupSizes(facts, request);
    for (size_t next = 0; next < sizes.size(); ++next) {
        const uint32_t size = sizes[next];
        auto attempt = rewriteFor(device, request, entries, size);
        if (!attempt) {
            // Other sizes can only help a shader for which this one is too small or too large.
            const bool final = attempt.error().code != rewrite::ErrorCode::kUnsupported;
            if (!firstError) firstError = std::move(attempt.error());
            if (final) break;
            continue;
        }
        const rewrite::Rewritten& rewritten = *attempt->rewritten;
        const bool fits = !fixesSubgroupSize(rewritten) || workgroupFits(facts, rewritten, size);
        if (plan.rewritten == nullptr || fits) {
            plan.rewritten = attempt->rewritten;
            plan.subgroupSize = size;
            plan.isCached = attempt->isCached;
        }
        const auto wanted = std::find(sizes.begin() + static_cast<std::ptrdiff_t>(next) + 1,
                                      sizes.end(), rewritten.wantedSubgroupSize);
        if (rewritten.wantedSubgroupSize != size && wanted != sizes.end()) {
            std::swap(sizes[next + 1], *wanted);
            continue;
        }
        if (fits) break;
    }
    return plan.rewritten == nullptr ? firstError : std::nullopt;
}

// What the pipeline must require of its subgroups.
void setRequirements(const DeviceContext& device, const StageRequest& request, StagePlan& plan) {
    const DeviceFacts& facts = device.facts;
    const uint32_t x = plan.rewritten->localSize[0];
    if (plan.rewritten->emulatesSubgroups) return;
    const bool fixed = fixesSubgroupSize(*plan.rewritten);
    const bool wantsSize = fixed || device.requiredSubgroupSize != 0;
    if (wantsSize && request.requiredSubgroupSize == 0 && canRequireSize(facts, request.stage)) {
        plan.needs.size = plan.subgroupSize;
    }
    plan.needs.full =
        fixed && facts.has(Feature::kComputeFullSubgroups) && x != 0 && x % plan.subgroupSize == 0;
}

}  // namespace

VkResult rewriteStage(DeviceContext& device, const StageRequest& request, StagePlan& plan) {
    const Clock::time_point start = Clock::now();
    Entries entries;
    if (!readSpecialization(request.specialization, entries)) {
        const rewrite::Error error = {rewrite::ErrorCode::kInvalidArgument,
                                      kSpecializationOutOfRange};
        const uint32_t size = subgroupSizes(device.facts, request).front();
        dump(device, request, makeTarget(device, request, size), nullptr, {}, &error);
        logFailure(device, request, error.message);
        return VK_ERROR_UNKNOWN;
    }
    plan = {};
    if (const auto error = rewriteForAnySize(device, request, entries, plan)) {
        logFailure(device, request, error->message);
        if (device.faults != nullptr && error->code != rewrite::ErrorCode::kOutOfMemory &&
            error->code != rewrite::ErrorCode::kInvalidArgument) {
            device.faults->refused(request.words->hash, request.words->words,
                                   emulatedUses(device, request.words->words), error->message);
        }
        return resultOf(error->code);
    }
    setRequirements(device, request, plan);
    if (plan.rewritten->untouched) return VK_SUCCESS;
    if (device.inputs != nullptr && request.stage == VK_SHADER_STAGE_COMPUTE_BIT) {
        const rewrite::Target target = makeTarget(device, request, plan.subgroupSize);
        plan.dumped = std::make_shared<const DumpedShader>(
            DumpedShader{device.instance->dumps.describe(
                             *request.words, recordOf(device, request, target, &entries)),
                         rewrite::usesAddresses(request.words->words)});
    }
    const Clock::duration spent = Clock::now() - start;
    logRewrite(device, request, plan, spent);
    if (device.statistics != nullptr)
        device.statistics->rewrote(*plan.rewritten, plan.isCached, spent);
    if (device.faults != nullptr) device.faults->rewrote(plan.rewritten->used);
    return VK_SUCCESS;
}

}  // namespace coopvk::layer
