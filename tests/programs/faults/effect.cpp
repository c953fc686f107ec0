// SPDX-License-Identifier: Apache-2.0
#include "effect.hpp"

#include <algorithm>
#include <cmath>

#include "checker.hpp"

namespace coopvk::programs {
namespace {

using check::Execution;
using reference::Choice;

constexpr Choice kSchedules[] = {Choice::kPlain, Choice::kShuffled, Choice::kAdversarial};

reference::Settings settingsOf(const Case& made, Choice schedule) {
    reference::Settings settings;
    settings.subgroupSize = made.program.lanes;
    settings.seed = made.seed;
    settings.schedule = settings.placement = schedule;
    settings.sums = schedule == Choice::kPlain ? Choice::kExact : schedule;
    settings.threads = 1;
    settings.steps = kStepsWithFault;
    return settings;
}

// A native execution that does as the specifications permit.
struct Variation {
    Choice sums = Choice::kExact, placement = Choice::kPlain;
    bool contracts = false, prefersNan = false;
    uint32_t flushed = 0;
    uint64_t seed = 1;
};
constexpr Variation kVariations[] = {
    {},
    {.sums = Choice::kPlain},
    {.sums = Choice::kShuffled},
    {.sums = Choice::kShuffled, .seed = 2},
    {.sums = Choice::kShuffled, .seed = 3},
    {.sums = Choice::kAdversarial},
    {.contracts = true},
    {.prefersNan = true},
    {.sums = Choice::kShuffled, .contracts = true, .seed = 4},
    {.flushed = 16},
    {.flushed = check::kAnyWidth},
    {.placement = Choice::kShuffled},
    {.placement = Choice::kAdversarial},
};

// Whether a value is one of those, or between them.
bool isAmong(double value, const std::vector<double>& values) {
    double low = INFINITY, high = -INFINITY;
    for (const double other : values) {
        if (value == other || (std::isnan(value) && std::isnan(other))) return true;
        if (!std::isfinite(other)) continue;
        low = std::min(low, other);
        high = std::max(high, other);
    }
    return value >= low && value <= high;
}

}  // namespace

Effects::Effects(const Case& made, std::span<const uint32_t> words,
                 std::span<const uint32_t> rewritten)
    : made_(made), words_(words), module_(words, made.program.specialization) {
    const bool contracts = check::contractsAt(made.program.lanes);
    native_ = side(words, false, false, 0);
    rewritten_ = side(rewritten, false, contracts, 0);
    const auto schedules = std::span(kSchedules);
    addData(check::Values::kSmall, {1, 1, 1}, schedules);
    addData(check::Values::kAny, {1, 1, 1}, schedules.first(1));
    const bool reduces = made.program.text.find("OpCooperativeMatrixReduceNV") != std::string::npos;
    // Which NaN a reduction chooses depends on an order that is open: on too many to try.
    if (!reduces) addData(check::Values::kSpecial, {1, 1, 1}, schedules.first(1));
    addData(check::Values::kAny, {2, 2, 1}, schedules.last(1));
}

check::Side Effects::side(std::span<const uint32_t> words, bool validate, bool contracts,
                          uint32_t flushed) const {
    return check::makeSide({.words = words,
                            .entryPoint = "main",
                            .specialization = made_.program.specialization,
                            .lanes = made_.program.lanes,
                            .validate = validate,
                            .contracts = contracts,
                            .flushed = flushed});
}

bool Effects::isValid(std::span<const uint32_t> words) const {
    return side(words, true, false, 0).program != nullptr;
}

void Effects::addData(check::Values values, std::array<uint32_t, 3> groups,
                      std::span<const Choice> schedules) {
    check::MemoryChoice choice = memoryOf(made_);
    choice.values = values;
    Data data{check::makeMemory(module_, choice), groups, std::to_string(data_.size()), {}};
    const reference::Settings settings = settingsOf(made_, Choice::kPlain);
    Execution native = check::execute(native_, data.memory, groups, settings, true);
    if (check::hasSeveralFormats(data.memory)) {
        check::fillAgain(module_, choice, native.accessed, data.memory);
        native = check::execute(native_, data.memory, groups, settings);
    }
    if (!native.error.empty() || !native.reports.empty()) return;
    for (const Choice schedule : schedules) {
        const reference::Settings of = settingsOf(made_, schedule);
        data.right.push_back({of, check::execute(rewritten_, data.memory, groups, of)});
    }
    data_.push_back(std::move(data));
}

const std::vector<Execution>& Effects::permitted(const Data& data) {
    std::vector<Execution>& executions = permitted_[&data];
    if (!executions.empty()) return executions;
    for (const Variation& variation : kVariations) {
        reference::Settings settings = settingsOf(made_, Choice::kPlain);
        settings.sums = variation.sums;
        settings.seed += variation.seed;
        settings.placement = variation.placement;
        if (variation.placement != Choice::kPlain) settings.schedule = variation.placement;
        settings.prefersNan = variation.prefersNan;
        executions.push_back(
            check::execute(side(words_, false, variation.contracts, variation.flushed), data.memory,
                           data.groups, settings, true));
    }
    return executions;
}

bool Effects::isPermitted(const Data& data, const Execution& right, const Execution& faulty,
                          std::string& where) {
    const std::vector<Execution>& natives = permitted(data);
    for (size_t b = 0; b < data.memory.buffers.size(); ++b) {
        check::visitNumbers(
            module_, data.memory.interface, data.memory.buffers[b],
            natives.front().accessed[b].writers, [&](uint64_t offset, const check::Format& format) {
                const auto bitsOf = [&](const Execution& of) {
                    return check::readBits(of.contents[b].data() + offset, format);
                };
                const uint64_t bits = bitsOf(faulty);
                if (bits == bitsOf(right) || !where.empty()) return;
                std::vector<double> values;
                for (const Execution& native : natives)
                    values.push_back(check::valueOf(format, bitsOf(native)));
                if (isAmong(check::valueOf(format, bits), values)) return;
                const auto [least, most] = std::ranges::minmax_element(values);
                where = data.memory.buffers[b].name + ", byte " + std::to_string(offset) + ": " +
                        check::textOf(format, bits) + ", not " +
                        check::textOf(format, bitsOf(right)) + "; natively from " +
                        std::to_string(*least) + " to " + std::to_string(*most);
            });
    }
    return where.empty();
}

Effect Effects::of(std::span<const uint32_t> faulty, std::string& where) {
    const check::Side side = this->side(faulty, false, check::contractsAt(made_.program.lanes), 0);
    Effect effect = Effect::kNone;
    for (const Data& data : data_) {
        for (const auto& [settings, right] : data.right) {
            const Execution got = check::execute(side, data.memory, data.groups, settings);
            if (!got.error.empty()) return Effect::kReports;
            if (!got.reports.empty() && right.reports.empty())
                effect = std::max(effect, Effect::kReports);
            if (got.contents == right.contents) continue;
            if (!isPermitted(data, right, got, where)) {
                where += " (data " + data.name + ", schedule " +
                         std::to_string(int(settings.schedule)) + ")";
                return Effect::kBits;
            }
            effect = std::max(effect, Effect::kPermitted);
        }
    }
    return effect;
}

}  // namespace coopvk::programs
