// SPDX-License-Identifier: Apache-2.0
//
// Each input, as six compilers would make it, executed natively and rewritten on the reference
// device: at 4 to 128 lanes, with both back-ends. Both sides must write the same.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "../driver/harness/shader.hpp"
#include "check.hpp"
#include "input.hpp"

namespace coopvk::test {

void PrintTo(const Input& input, std::ostream* out) { *out << input.name; }

namespace {

using check::Verdict;

// All subgroup sizes and schedules, else some: each form of an input has others.
bool runsAll() {
    const char* text = std::getenv("COOPVK_TEST_FULL");
    return text != nullptr && *text == '1';
}

Words compiled(const Input& input, Variant variant) {
    if (input.isRefused) return assemble(input.source, Checked::kNo);
    if (input.isAssembly) return optimised(assemble(input.source), variant);
    return compileGlsl(input.source, variant);
}

check::Options optionsFor(const Input& input, size_t number) {
    check::Options options;
    options.threads = 1;
    options.steps = uint64_t{1} << 20;
    options.groups = {input.groups, 1, 1};
    for (uint32_t binding = 0; binding < input.buffers.size(); ++binding)
        options.memory.buffers[{0, binding}] = contents(input.buffers[binding], binding + 1);
    const auto push = std::as_bytes(std::span(input.push));
    options.memory.pushConstants.assign(push.begin(), push.end());
    if (!input.lanes.empty()) options.lanes = input.lanes;
    if (runsAll()) return options;
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
    if (verdict == Verdict::kAgrees || verdict == Verdict::kNotApplicable) return true;
    if (!input.unchecked.empty()) return !check::isFault(verdict);
    if (!input.isRacy) return false;
    return verdict == Verdict::kUndefined ||
           (verdict == Verdict::kReports &&
            std::ranges::all_of(outcome.rewritten, [](const reference::Report& report) {
                return report.check == reference::kCheckRaces;
            }));
}

class CheckInputs : public testing::TestWithParam<Input> {};

TEST_P(CheckInputs, WriteTheSame) {
    const Input& input = GetParam();
    size_t number = std::hash<std::string>()(input.name);
    size_t agreed = 0;
    for (const Variant variant : kVariants) {
        if (input.isRefused && variant != Variant::kPlain) continue;
        SCOPED_TRACE(nameOf(variant));
        const Words words = compiled(input, variant);
        check::Subject subject{.words = words, .specialization = {}};
        for (const auto& [id, value] : input.specialization)
            subject.specialization.push_back({.constantId = id, .bits = value});
        subject.target.device = check::referenceTraits();
        for (const check::Outcome& outcome : check::check(subject, optionsFor(input, number++))) {
            agreed += outcome.verdict == Verdict::kAgrees ? 1 : 0;
            EXPECT_TRUE(isExpected(input, outcome)) << describe(outcome);
        }
    }
    // A reason that holds no more must go.
    EXPECT_EQ(agreed == 0, !input.unchecked.empty()) << agreed << " agree";
}

INSTANTIATE_TEST_SUITE_P(All, CheckInputs, testing::ValuesIn(allInputs()),
                         [](const auto& input) { return input.param.name; });

}  // namespace
}  // namespace coopvk::test
