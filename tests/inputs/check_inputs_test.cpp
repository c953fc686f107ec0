// SPDX-License-Identifier: Apache-2.0
//
// Each input, as six compilers would make it, executed natively and rewritten on the reference
// device: at 4 to 128 lanes, with both back-ends. Both sides must write the same. Without
// COOPVK_TEST_FULL=1 each has one form in four.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <string_view>

#include "checking.hpp"
#include "forms.hpp"

namespace coopvk::test {

void PrintTo(const Input& input, std::ostream* out) { *out << input.name; }

namespace {

using check::Verdict;

constexpr size_t kForms = 4;  // of which one is run

class CheckInputs : public testing::TestWithParam<Input> {};

TEST_P(CheckInputs, WriteTheSame) {
    const Input& input = GetParam();
    size_t number = std::hash<std::string>()(input.name);
    size_t agreed = 0;
    for (const Variant variant : kVariants) {
        if (hasOneForm(input) && variant != Variant::kPlain) continue;
        if (!hasOneForm(input) && !runsAll() && (number + testSeed()) % kForms != 0) {
            ++number;
            continue;
        }
        SCOPED_TRACE(nameOf(variant));
        const Words words = compiled(input, variant);
        check::Options options = optionsFor(input, number++);
        for (const uint32_t lanes : std::vector(options.lanes)) {
            options.lanes = {lanes};
            for (const check::Outcome& outcome : checkAt(input, words, options)) {
                // Else there would be one schedule, and nothing would find races of the rewriter's.
                EXPECT_FALSE(outcome.isRacy) << "the input's own invocations race";
                agreed += outcome.verdict == Verdict::kAgrees ? 1 : 0;
                EXPECT_TRUE(isExpected(input, outcome)) << describe(outcome);
            }
        }
    }
    // A reason that holds no more must go.
    EXPECT_EQ(agreed == 0, isUnchecked(input)) << agreed << " agree";
}

// With the layout of elements of a GPU on both sides: unless all forms run, of one GPU.
TEST_P(CheckInputs, WriteTheSameInTheLayoutOfAGpu) {
    using enum rewrite::ElementLayout;
    const Input& input = GetParam();
    if (isUnchecked(input) || input.heap != 0) return;
    const Words words = compiled(input, Variant::kFast);
    check::Options options = optionsFor(input, 0);
    if (!input.lanes.empty() && std::ranges::count(input.lanes, 32u) == 0) return;
    options.lanes = {32};
    options.backEnds = {rewrite::BackEnd::kCore};
    options.schedules = {reference::Choice::kPlain};
    const size_t chosen = (std::hash<std::string>()(input.name) + testSeed()) % 3;
    for (const rewrite::ElementLayout layout : {kNvidia, kRdna3, kRdna4}) {
        if (!runsAll() && static_cast<size_t>(layout) - static_cast<size_t>(kNvidia) != chosen)
            continue;
        SCOPED_TRACE(rewrite::elementLayoutName(layout));
        for (const check::Outcome& outcome : checkAt(input, words, options, layout))
            EXPECT_TRUE(isExpected(input, outcome)) << describe(outcome);
    }
}

// On the classes of devices that the sizes above leave out.
TEST_P(CheckInputs, WriteTheSameOnOtherClasses) {
    const Input& input = GetParam();
    if (isUnchecked(input) || input.heap != 0) return;
    const Words words = compiled(input, Variant::kFast);
    check::Options options = optionsFor(input, 0);
    std::set<std::string_view> known;
    for (const uint32_t lanes : options.lanes) known.insert(classFor(input, lanes).name);
    options.backEnds = {rewrite::BackEnd::kCore};
    options.schedules = {reference::Choice::kPlain};
    for (const check::DeviceClass& deviceClass : check::deviceClasses()) {
        const uint32_t lanes = std::min(32u, deviceClass.maxLanes);
        const bool hasLanes = input.lanes.empty() || std::ranges::count(input.lanes, lanes) != 0;
        if (!hasLanes || !known.insert(deviceClass.name).second) continue;
        SCOPED_TRACE(deviceClass.name);
        options.lanes = {lanes};
        for (const check::Outcome& outcome :
             checkAt(input, words, options, rewrite::ElementLayout::kAuto, &deviceClass))
            EXPECT_TRUE(isExpected(input, outcome)) << describe(outcome);
    }
}

INSTANTIATE_TEST_SUITE_P(All, CheckInputs, testing::ValuesIn(allInputs()),
                         [](const auto& input) { return input.param.name; });

}  // namespace
}  // namespace coopvk::test
