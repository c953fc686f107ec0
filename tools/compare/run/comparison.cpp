// SPDX-License-Identifier: Apache-2.0
#include "compare/run/comparison.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <exception>
#include <mutex>
#include <regex>
#include <span>
#include <thread>

#include "compare/cases/grids.hpp"
#include "compare/cases/matrix2_rows.hpp"
#include "compare/run/crash_note.hpp"

namespace coopvk::compare {
namespace {

// A sample of the grid: of each row and operation, this many cases.
constexpr size_t kQuickCases = 2;

// Cases whose pipelines are created at a time, for each thread.
constexpr size_t kCasesPerJob = 16;

uint32_t jobs(const Options& options) {
    return options.jobs ? options.jobs : std::max(std::thread::hardware_concurrency(), 1u);
}

std::unique_ptr<Gpu> open(SideKind side, const Options& options, SideDescription& description) {
    GpuOptions wanted;
    wanted.index = options.device;
    wanted.extension = options.extension;
    wanted.backEnd = options.backEnd;
    auto gpu = std::make_unique<Gpu>(side, wanted);
    description.present = gpu->hasExtension();
    description.name = gpu->name();
    if (!description.present)
        description.absent =
            gpu->name() + (side == SideKind::kNative
                               ? " has no " + options.extension
                               : " lacks what coopvk needs for " + options.extension);
    return gpu;
}

reference::Settings referenceSettings() {
    const auto settings = reference::settingsFromEnvironment();
    if (!settings) throw std::runtime_error(settings.error().message);
    return *settings;
}

}  // namespace

Comparison::Comparison(const Options& options) : options_(options) {
    openSides();
    makeGrid();
    choose();
    noteBits();
}

Comparison::~Comparison() = default;

void Comparison::openSides() {
    reference::Settings settings = referenceSettings();
    if (options_.sides == Sides::kReference) {
        native_ = {
            true, "reference device, " + std::to_string(settings.subgroupSize) + " lanes", {}};
        emulated_ = {false, {}, "only the reference device was asked for"};
        nativeRunner_ = std::make_unique<ReferenceDevice>(settings);
    } else {
        openDevices();
        settings.subgroupSize = nativeGpu_->properties11.subgroupSize;
    }
    shape_ = {settings.subgroupSize};
    reference_ = std::make_unique<ReferenceDevice>(settings);
    if (!options_.against.empty()) openSaved();
    if (!native_.present && !emulated_.present)
        throw std::runtime_error(native_.absent + "; " + emulated_.absent);
}

void Comparison::openDevices() {
    nativeGpu_ = open(SideKind::kNative, options_, native_);
    if (options_.sides == Sides::kEmulated) native_ = {false, {}, "only emulated was asked for"};
    if (options_.sides == Sides::kNative) {
        emulated_ = {false, {}, "only native was asked for"};
    } else {
        emulatedGpu_ = open(SideKind::kEmulated, options_, emulated_);
    }
    if (emulatedGpu_ && std::memcmp(nativeGpu_->properties11.deviceUUID,
                                    emulatedGpu_->properties11.deviceUUID, VK_UUID_SIZE) != 0)
        throw std::runtime_error("the loader lists devices in another order with coopvk's layer");
    if (emulated_.present) emulatedRunner_ = std::make_unique<Runner>(*emulatedGpu_);
    if (native_.present && options_.against.empty())
        nativeRunner_ = std::make_unique<Runner>(*nativeGpu_);
}

// Results in place of the native side.
void Comparison::openSaved() {
    saved_ = load(options_.against);
    if (saved_->extension != options_.extension)
        throw std::runtime_error(options_.against + " is about " + saved_->extension);
    options_.seed = saved_->seed;
    native_ = {true, saved_->device + ", " + saved_->side + ", from " + options_.against, {}};
}

void Comparison::makeGrid() {
    const bool isReference = options_.sides == Sides::kReference;
    Grid grid = isReference ? referenceGrid(options_.extension)
                            : gridOf(options_.extension, nativeRunner_ ? nativeGpu_.get() : nullptr,
                                     emulatedRunner_ ? emulatedGpu_.get() : nullptr);
    grid_ = std::move(grid.cases);
    for (const auto& [what, count] : grid.skipped)
        notes_.push_back("left out: " + std::to_string(count) + " " + what);
    // Conversions without a shader are a driver's.
    if (isReference && !saved_)
        std::erase_if(grid_, [](const Case& c) { return c.convertsInDriver; });
    if (saved_)
        for (Case& c : grid_) c.native = saved_->outcomes.contains(c.name);
}

// Which features are compared, and why others are not.
void Comparison::noteBits() {
    if (options_.extension != VK_NV_COOPERATIVE_MATRIX_2_EXTENSION_NAME || saved_ ||
        options_.sides == Sides::kReference)
        return;
    const uint32_t native = matrix2Bits(nativeRunner_ ? nativeGpu_.get() : nullptr);
    const uint32_t emulated = matrix2Bits(emulatedRunner_ ? emulatedGpu_.get() : nullptr);
    for (size_t i = 0; i < std::size(kMatrix2Bits); ++i) {
        const uint32_t bit = 1u << i;
        size_t both = 0, single = 0;
        for (const size_t number : chosen_) {
            const Case& c = grid_[number];
            if (c.bits & bit) ++(c.native && c.emulated ? both : single);
        }
        std::string text = std::string(kMatrix2Bits[i].name) + ": ";
        if (both) text += std::to_string(both) + " cases on both sides";
        if (single)
            text += (both ? ", " : "") + std::to_string(single) + " with the reference alone";
        if (!both && !single) text += "not compared";
        if (native_.present && !(native & bit)) text += " (the native side lacks the feature)";
        if (emulated_.present && !(emulated & bit))
            text += " (the emulated side lacks the feature)";
        notes_.push_back(text);
    }
}

void Comparison::choose() {
    if (options_.onlyCase) {
        if (*options_.onlyCase < grid_.size()) chosen_ = {*options_.onlyCase};
        return;
    }
    std::map<std::string, size_t> taken;
    const std::regex filter(options_.filter, std::regex::ECMAScript | std::regex::optimize);
    const bool both = native_.present && emulated_.present && !options_.allRows;
    std::map<std::string, size_t> single;
    for (size_t number = 0; number < grid_.size(); ++number) {
        const Case& c = grid_[number];
        if (!c.native && !c.emulated) continue;
        if (!options_.filter.empty() && !std::regex_search(c.name, filter)) continue;
        if (both && !c.lacksBits && !(c.native && c.emulated)) {
            ++single[c.native ? "native" : "emulated"];
            continue;
        }
        if (options_.quick && taken[c.row + "/" + c.operation]++ >= kQuickCases) continue;
        chosen_.push_back(number);
    }
    for (const auto& [side, count] : single)
        notes_.push_back("left out: " + std::to_string(count) +
                         " cases of types and shapes that only the " + side +
                         " side has (--all-rows takes them)");
}

Plan Comparison::planOf(size_t number) const {
    Plan plan = grid_[number].plan(shape_, options_.seed);
    try {
        reference_->expect(plan);
    } catch (const std::exception& error) {
        throw std::runtime_error(grid_[number].name + ": " + error.what());
    }
    return plan;
}

Comparison::Outcomes Comparison::runSides(size_t number, const Plan& plan) {
    const Case& c = grid_[number];
    Outcomes outcomes;
    if (saved_ && c.native) {
        outcomes.native = saved_->outcomes.at(c.name);
        const std::optional<Matrix>& result = outcomes.native->result;
        if (result && (result->component != plan.result.component ||
                       result->elements.size() != plan.expected.size()))
            outcomes.native = {std::nullopt, "the saved result is of another kind"};
    } else if (nativeRunner_ && c.native) {
        outcomes.native = nativeRunner_->run(plan);
    }
    if (emulatedRunner_ && c.emulated) outcomes.emulated = emulatedRunner_->run(plan);
    return outcomes;
}

Verdict Comparison::verdictOf(size_t number, const Plan& plan, const Outcomes& outcomes) const {
    const auto pointer = [](const std::optional<Outcome>& o) { return o ? &*o : nullptr; };
    Verdict verdict =
        judge(plan, pointer(outcomes.native), pointer(outcomes.emulated), options_.tolerance);
    verdict.number = number;
    verdict.subject = &grid_[number];
    return verdict;
}

Verdict Comparison::run(size_t number, const Plan& plan) {
    const CrashNote note(grid_[number].name);
    const Outcomes outcomes = runSides(number, plan);
    if (kept_) {
        const auto& kept = keptSide_ == SideKind::kNative ? outcomes.native : outcomes.emulated;
        if (kept) kept_->outcomes[grid_[number].name] = *kept;
    }
    return verdictOf(number, plan, outcomes);
}

std::vector<Plan> Comparison::prepare(std::span<const size_t> numbers) {
    std::vector<Plan> plans(numbers.size());
    std::atomic<size_t> next = 0;
    std::exception_ptr failure;
    std::mutex mutex;
    const auto prepareAll = [&] {
        for (size_t i = next++; i < numbers.size(); i = next++) {
            const CrashNote note(grid_[numbers[i]].name);
            plans[i] = planOf(numbers[i]);
            if (nativeRunner_ && grid_[numbers[i]].native) nativeRunner_->prepare(plans[i]);
            if (emulatedRunner_ && grid_[numbers[i]].emulated) emulatedRunner_->prepare(plans[i]);
        }
    };
    const auto work = [&] {
        try {
            prepareAll();
        } catch (...) {
            const std::lock_guard lock(mutex);
            failure = std::current_exception();
        }
    };
    std::vector<std::thread> threads;
    for (uint32_t i = 1; i < jobs(options_); ++i) threads.emplace_back(work);
    work();
    for (std::thread& thread : threads) thread.join();
    if (failure) std::rethrow_exception(failure);
    return plans;
}

std::vector<Verdict> Comparison::runAll() {
    std::vector<Verdict> verdicts;
    const size_t batch = kCasesPerJob * jobs(options_);
    for (size_t first = 0; first < chosen_.size(); first += batch) {
        const auto numbers =
            std::span(chosen_).subspan(first, std::min(batch, chosen_.size() - first));
        const std::vector<Plan> plans = prepare(numbers);
        for (size_t i = 0; i < numbers.size(); ++i) verdicts.push_back(run(numbers[i], plans[i]));
        if (nativeRunner_) nativeRunner_->forget();
        if (emulatedRunner_) emulatedRunner_->forget();
        if (!options_.quiet)
            std::fprintf(stderr, "coopvk compare: %zu of %zu cases\n", verdicts.size(),
                         chosen_.size());
    }
    return verdicts;
}

}  // namespace coopvk::compare
