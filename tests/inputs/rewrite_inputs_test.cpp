// SPDX-License-Identifier: Apache-2.0
//
// Each input, as six compilers would make it, rewritten for each target: the result is valid and
// needs no emulation, or the input is one that the rewriter must refuse.
#include <gtest/gtest.h>

#include "rewriting.hpp"

namespace coopvk::test {

void PrintTo(const Input& input, std::ostream* out) { *out << input.name; }

namespace {

class RewriteInputs : public testing::TestWithParam<Input> {};

TEST_P(RewriteInputs, AreValidForEachTarget) {
    const Input& input = GetParam();
    const std::vector<NamedTarget>& targets = allTargets();
    constexpr size_t kStep = 11;  // of few targets; no divisor of their number
    size_t next = std::hash<std::string>()(input.name) + testSeed();
    for (const Variant variant : kVariants) {
        if (hasOneForm(input) && variant != Variant::kPlain) continue;
        const Words words = compiled(input, variant);
        for (const NamedTarget& target : targets) {
            if (!isFor(input, target.target)) continue;
            if (!runsAll() && !hasOneForm(input) && next++ % kStep != 0) continue;
            SCOPED_TRACE(std::string(nameOf(variant)) + ", " + target.name);
            expectRewriting(input, words, target.target);
        }
    }
}

// SPIRV-Tools changes most of the inputs; small ones of assembly have nothing to optimise. The
// short run has one in five.
TEST(RewriteInputVariants, Differ) {
    size_t same = 0, all = 0, next = testSeed();
    for (const Input& input : allInputs()) {
        if (hasOneForm(input) || (!runsAll() && next++ % 5 != 0)) continue;
        const Words plain = compiled(input, Variant::kPlain);
        for (const Variant variant : {Variant::kFast, Variant::kSmall, Variant::kLegalized}) {
            ++all;
            same += compiled(input, variant) == plain;
        }
    }
    EXPECT_LT(same, all / 2);
}

INSTANTIATE_TEST_SUITE_P(All, RewriteInputs, testing::ValuesIn(allInputs()),
                         [](const auto& input) { return input.param.name; });

}  // namespace
}  // namespace coopvk::test
