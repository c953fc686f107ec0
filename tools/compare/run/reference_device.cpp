// SPDX-License-Identifier: Apache-2.0
#include "compare/run/reference_device.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "coopvk_reference/buffers.hpp"

namespace coopvk::compare {
namespace {

using reference::Direction;

// A number of a format without infinity that was rounded upward beyond the largest one is NaN.
Real limit(Component type, uint64_t bits, Real beyond) {
    return isNan(type, bits) ? beyond : decode(type, bits);
}

Expected between(Component type, uint64_t bits, uint64_t down, uint64_t up) {
    if (isNan(type, bits)) return exactly(type, bits);
    constexpr Real kInfinity = std::numeric_limits<Real>::infinity();
    return {bits, limit(type, down, -kInfinity), limit(type, up, kInfinity)};
}

constexpr Real kInfinite = std::numeric_limits<Real>::infinity();

// Numbers that are infinite are ends.
Expected inInterval(uint64_t bits, const reference::Interval& interval) {
    Expected expected{bits, interval.low, interval.high};
    if (interval.positiveInfinity) expected.high = kInfinite;
    if (interval.negativeInfinity) expected.low = -kInfinite;
    return expected;
}

}  // namespace

ReferenceDevice::ReferenceDevice(const reference::Settings& settings) : settings_(settings) {
    settings_.threads = 1;  // cases are what runs at the same time
}

Matrix ReferenceDevice::compute(const Plan& plan, const reference::Settings& settings,
                                std::vector<reference::Deviation>* deviations) const {
    const std::vector<uint32_t> words = assemble(plan.assembly);
    reference::ProgramRequest request;
    request.words = words;
    request.subgroupSize = settings.subgroupSize;
    request.rounding = settings.rounding;
    request.validate = false;  // tests do, once
    const auto program = reference::makeProgram(request);
    if (!program) throw std::runtime_error("the reference device: " + program.error().message);

    std::vector<Bytes> buffers = plan.buffers;
    reference::BufferList memory;
    std::vector<std::vector<reference::Deviation>> kept(buffers.size());
    for (uint32_t i = 0; i < buffers.size(); ++i) {
        reference::Range range{.data = buffers[i].data(), .size = buffers[i].size()};
        if (deviations != nullptr) {
            kept[i].resize(buffers[i].size());
            range.deviations = kept[i].data();
        }
        memory.add(0, i, 0, range);
    }
    std::vector<uint64_t> addresses;
    for (const size_t buffer : plan.addresses)
        addresses.push_back(reference::BufferList::addressOf(buffer));
    reference::ReportList reports;
    const reference::Dispatch dispatch = {
        {plan.groups, 1, 1}, {0, 0, 0}, std::as_bytes(std::span(addresses))};
    const auto status = reference::execute(**program, dispatch, memory, settings, reports);
    if (!status) throw std::runtime_error("the reference device: " + status.error().message);
    if (!reports.reports.empty())
        throw std::runtime_error("the reference device reports: " +
                                 reference::describe(reports.reports.front()));
    for (size_t i = 0; i < buffers.size(); ++i)
        if (i != plan.output && buffers[i] != plan.buffers[i])
            throw std::runtime_error("the shader writes to buffer " + std::to_string(i));
    checkSurroundings(plan, buffers[plan.output]);
    if (deviations != nullptr) *deviations = std::move(kept[plan.output]);
    return gather(plan.result, buffers[plan.output]);
}

Outcome ReferenceDevice::run(const Plan& plan) {
    try {
        return {compute(plan, settings_), {}};
    } catch (const std::exception& error) {
        return {std::nullopt, error.what()};
    }
}

// Each element may be in the interval that the reference device computes beside it.
void ReferenceDevice::expectIntervals(Plan& plan, reference::Settings settings) const {
    reference::Intervals intervals(reference::Functions::kAsAnywhere);
    settings.intervals = &intervals;
    std::vector<reference::Deviation> deviations;
    const Matrix sums = compute(plan, settings, &deviations);
    const Component type = plan.result.component;
    const auto number = reference::numbers::byVulkanType(type);
    for (uint32_t row = 0; row < sums.rows; ++row)
        for (uint32_t column = 0; column < sums.columns; ++column) {
            const reference::Deviation deviation = deviations[plan.result.at(row, column)];
            if (!number || (deviation != 0 && !reference::isNumber(deviation)))
                throw std::runtime_error("nothing is known of what a result may be: " +
                                         intervals.reason(deviation));
            const uint64_t bits = sums.at(row, column);
            plan.expected.push_back(
                inInterval(bits, reference::intervalOf(deviation, *number, bits)));
        }
}

void ReferenceDevice::expect(Plan& plan) const {
    if (plan.assembly.empty()) return;
    const Component type = plan.result.component;
    const Freedom& freedom = plan.freedom;
    const auto rounded = [&](Direction direction) {
        reference::Settings settings;
        settings.subgroupSize = settings_.subgroupSize;
        settings.threads = 1;
        settings.rounding = direction;
        settings.sums = reference::Choice::kExact;
        return settings;
    };
    if (freedom.inIntervals) return expectIntervals(plan, rounded(Direction::kNearest));
    const Matrix nearest = compute(plan, rounded(Direction::kNearest));
    const bool rounds = freedom.rounds && info(type).isFloat();
    const Matrix down = rounds ? compute(plan, rounded(Direction::kDownward)) : nearest;
    const Matrix up = rounds ? compute(plan, rounded(Direction::kUpward)) : nearest;
    for (size_t i = 0; i < nearest.elements.size(); ++i)
        plan.expected.push_back(
            rounds ? between(type, nearest.elements[i], down.elements[i], up.elements[i])
                   : exactly(type, nearest.elements[i]));
}

}  // namespace coopvk::compare
