// SPDX-License-Identifier: Apache-2.0
#include "checking.hpp"

#include <gtest/gtest.h>

#include <bit>

#include "../random_tuning.hpp"
#include "forms.hpp"

namespace coopvk::test {

using check::Verdict;

namespace {

// Of each buffer of a heap, of which there may be many.
constexpr uint64_t kHeapBufferBytes = 16384;

size_t numberOf(const Input& input, uint32_t lanes) {
    size_t number = testSeed();
    for (const char letter : input.name) number += static_cast<unsigned char>(letter);
    return number + static_cast<size_t>(std::countr_zero(lanes));
}

}  // namespace

// The sizes of an input are spread over the classes of devices.
const check::DeviceClass& classFor(const Input& input, uint32_t lanes) {
    const std::span<const check::DeviceClass> classes = check::deviceClasses();
    size_t number = numberOf(input, lanes);
    while (classes[number % classes.size()].maxLanes < lanes) ++number;
    return classes[number % classes.size()];
}

bool isUnchecked(const Input& input) { return hasOneForm(input) || !input.unchecked.empty(); }

check::Options optionsFor(const Input& input, size_t number) {
    check::Options options;
    options.threads = 1;
    options.moreSpecials = runsAll() || number % 4 == 1;
    options.steps = uint64_t{1} << 20;
    options.groups = {input.groups, 1, 1};
    for (uint32_t binding = 0; binding < input.buffers.size(); ++binding)
        options.memory.buffers[{0, binding}] = contents(input.buffers[binding], binding + 1);
    const auto push = std::as_bytes(std::span(input.push));
    options.memory.pushConstants.assign(push.begin(), push.end());
    if (!input.lanes.empty()) options.lanes = input.lanes;
    if (input.heap != 0) {
        options.memory.bufferSize = kHeapBufferBytes;
        options.memory.heapSize = input.heap;
    }
    if (runsAll()) return options;
    options.validate = isUnchecked(input) || number % 4 == 2;  // inputs_tests validates all
    // Two sizes, so that all inputs have one that divides their workgroups.
    const std::vector<uint32_t> lanes = options.lanes;
    options.lanes = {lanes[number % lanes.size()], lanes[(number + 3) % lanes.size()]};
    options.schedules = {options.schedules[number % options.schedules.size()]};
    return options;
}

std::string describe(const check::Outcome& outcome) {
    std::string text = std::to_string(outcome.lanes) + " lanes, ";
    text += outcome.backEnd == rewrite::BackEnd::kNative ? "native: " : "core: ";
    text += std::string(check::nameOf(outcome.verdict)) + ": " + outcome.message;
    for (const check::Difference& difference : outcome.comparison.differences)
        text += "\n" + difference.buffer + ", byte " + std::to_string(difference.byte) + ": " +
                difference.rewritten + ", not " + difference.native;
    for (const auto& reports : {outcome.native, outcome.rewritten})
        for (const reference::Report& report : reports) text += "\n" + reference::describe(report);
    return text;
}

bool isExpected(const Input& input, const check::Outcome& outcome) {
    const Verdict verdict = outcome.verdict;
    if (verdict == Verdict::kAgrees || verdict == Verdict::kNotApplicable ||
        verdict == Verdict::kNotComparable || verdict == Verdict::kLayout)
        return true;
    return isUnchecked(input) && !check::isFault(verdict);
}

std::vector<check::Outcome> checkAt(const Input& input, const Words& words,
                                    const check::Options& options, rewrite::ElementLayout layout,
                                    const check::DeviceClass* deviceClass) {
    check::Subject subject{.words = words, .specialization = {}};
    subject.target.elementLayout = layout;
    for (const auto& [id, value] : input.specialization)
        subject.specialization.push_back({.constantId = id, .bits = value});
    if (input.isSubgroup)
        subject.specialization.push_back({.constantId = 0, .bits = options.lanes.front()});
    const uint32_t lanes = options.lanes.front();
    const size_t number = numberOf(input, lanes);
    subject.target.device =
        check::referenceTraits(deviceClass != nullptr ? *deviceClass : classFor(input, lanes));
    if (deviceClass == nullptr && number % 2 == 0) {
        check::Random random(number);
        changeFeatures(subject.target.device, random);
        changeMemory(subject.target.device, random);
        subject.target.tuning = randomTuning(number, lanes);
        subject.target.device.maxComputeSharedMemorySize = 16384;  // Vulkan's required limit
    }
    return check::check(subject, options);
}

}  // namespace coopvk::test
