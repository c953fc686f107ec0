// SPDX-License-Identifier: Apache-2.0
//
// Inputs after passes of spirv-opt, executed natively and rewritten on the reference device: both
// sides must write the same. A run takes a few passes and sequences for each input, always the
// same; with COOPVK_TEST_FULL=1 all passes and more sequences.
#include <gtest/gtest.h>

#include <cstdio>

#include "checking.hpp"
#include "forms.hpp"
#include "passes.hpp"

namespace coopvk::test {

void PrintTo(const Input& input, std::ostream* out);

namespace {

using check::Verdict;

// Passes may make of a module one that may write anything, or that the reference device does not
// execute.
bool isExpectedOf(const Input& input, const check::Outcome& outcome) {
    return isExpected(input, outcome) || outcome.verdict == Verdict::kUndefined ||
           outcome.verdict == Verdict::kNotExecutable;
}

class CheckPasses : public testing::TestWithParam<Input> {
 protected:
    static void TearDownTestSuite() {
        std::printf("%s\n%zu executions agree, %zu do not apply\n", counts_.text().c_str(), agreed_,
                    others_);
    }

    // Whether the passes changed the module.
    bool check(const Words& words, const Passes& passes) {
        const Input& input = GetParam();
        const AfterPasses after = afterPasses(words, passes);
        counts_.add(after.passed);
        if (after.passed != Passed::kChanged) return false;
        SCOPED_TRACE(describe(passes));
        check::Options options = optionsFor(input, rng_.next());
        options.lanes.resize(1);
        options.schedules.resize(1);
        for (const check::Outcome& outcome : checkAt(input, after.words, options)) {
            EXPECT_TRUE(isExpectedOf(input, outcome)) << describe(outcome);
            ++(outcome.verdict == Verdict::kAgrees ? agreed_ : others_);
        }
        return true;
    }

    static PassCounts counts_;
    static size_t agreed_, others_;
    Rng rng_ = passRng(GetParam().name);
};

PassCounts CheckPasses::counts_;
size_t CheckPasses::agreed_ = 0, CheckPasses::others_ = 0;

TEST_P(CheckPasses, WriteTheSame) {
    const Words words = compiled(GetParam(), Variant::kPlain);
    if (runsAll()) {
        constexpr int kSequences = 8;
        for (const std::string_view pass : allPasses()) check(words, {pass});
        for (int i = 0; i < kSequences; ++i) check(words, randomPasses(rng_));
        return;
    }
    constexpr int kTries = 4, kChanged = 1;
    for (int i = 0, changed = 0; i < kTries && changed < kChanged; ++i) {
        const bool isAlone = i % 2 == 0;
        const std::span<const std::string_view> passes = allPasses();
        const Passes chosen =
            isAlone ? Passes{passes[rng_.next() % passes.size()]} : randomPasses(rng_);
        changed += check(words, chosen) ? 1 : 0;
    }
}

std::vector<Input> checkedInputs() {
    std::vector<Input> inputs = allInputs();
    std::erase_if(inputs, isUnchecked);
    return inputs;
}

INSTANTIATE_TEST_SUITE_P(All, CheckPasses, testing::ValuesIn(checkedInputs()),
                         [](const auto& input) { return input.param.name; });

}  // namespace
}  // namespace coopvk::test
