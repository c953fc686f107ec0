// SPDX-License-Identifier: Apache-2.0
//
// Each input, as six compilers would make it, rewritten for each target: the result is valid and
// needs no emulation, or the input is one that the rewriter must refuse.
#include <gtest/gtest.h>

#include <cstdlib>

#include "../driver/harness/shader.hpp"
#include "input.hpp"
#include "targets.hpp"

namespace coopvk::test {

void PrintTo(const Input& input, std::ostream* out) { *out << input.name; }

namespace {

// All targets, else some: each input has others.
bool runsAll() {
    const char* text = std::getenv("COOPVK_TEST_FULL");
    return text != nullptr && *text == '1';
}

Words compiled(const Input& input, Variant variant) {
    // What is malformed on purpose goes to the rewriter as it is.
    if (input.isRefused) return assemble(input.source, Checked::kNo);
    if (input.isAssembly) return optimised(assemble(input.source), variant);
    return compileGlsl(input.source, variant);
}

bool isFor(const Input& input, const rewrite::Target& target) {
    return input.lanes.empty() ||
           std::ranges::find(input.lanes, target.subgroupSize) != input.lanes.end();
}

void check(const Input& input, const Words& words, const rewrite::Target& target) {
    const auto result = rewrite::rewrite({.words = words}, target);
    if (input.isRefused) {
        // What needs no emulation is the driver's to refuse.
        if (rewrite::scan(words, target.emulated).empty()) return;
        ASSERT_FALSE(result) << "must be refused";
        EXPECT_NE(result.error().message.find(input.refused), std::string::npos)
            << result.error().message;
        return;
    }
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_TRUE(rewrite::scan(result->words, target.emulated).empty()) << "emulated code is left";
    const auto invalid = rewrite::validate(result->words);
    EXPECT_FALSE(invalid) << *invalid;
}

class RewriteInputs : public testing::TestWithParam<Input> {};

TEST_P(RewriteInputs, AreValidForEachTarget) {
    const Input& input = GetParam();
    const std::vector<NamedTarget> targets = allTargets();
    constexpr size_t kStep = 5;  // of few targets; no divisor of their number
    size_t next = std::hash<std::string>()(input.name);
    for (const Variant variant : kVariants) {
        if (input.isRefused && variant != Variant::kPlain) continue;
        const Words words = compiled(input, variant);
        for (size_t i = 0; i < targets.size(); ++i) {
            const NamedTarget& target = targets[i];
            if (!isFor(input, target.target)) continue;
            if (!runsAll() && next++ % kStep != 0) continue;
            SCOPED_TRACE(std::string(nameOf(variant)) + ", " + target.name);
            check(input, words, target.target);
        }
    }
}

// SPIRV-Tools changes most of the inputs; small ones of assembly have nothing to optimise.
TEST(RewriteInputVariants, Differ) {
    size_t same = 0, all = 0;
    for (const Input& input : allInputs()) {
        if (input.isRefused) continue;
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
