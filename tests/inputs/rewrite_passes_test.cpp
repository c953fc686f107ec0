// SPDX-License-Identifier: Apache-2.0
//
// Each input after each pass of spirv-opt, and after random sequences of passes, rewritten for each
// target. A run takes a sample of each input's, always the same; with COOPVK_TEST_FULL=1 all.
#include <gtest/gtest.h>

#include <cstdio>

#include "passes.hpp"
#include "rewriting.hpp"

namespace coopvk::test {

void PrintTo(const Input& input, std::ostream* out);

namespace {

class RewritePasses : public testing::TestWithParam<Input> {
 protected:
    static void TearDownTestSuite() { std::printf("%s\n", counts_.text().c_str()); }

    void check(const Words& words, const Passes& passes) {
        const Input& input = GetParam();
        const AfterPasses after = afterPasses(words, passes);
        counts_.add(after.passed);
        if (after.passed != Passed::kChanged) return;
        for (const NamedTarget& target : targets_) {
            if (!isFor(input, target.target)) continue;
            if (!runsAll() && rng_.next() % kStep != 0) continue;
            SCOPED_TRACE(describe(passes) + ", " + target.name);
            expectRewriting(input, after.words, target.target);
        }
    }

    static constexpr size_t kStep = 16, kFewPasses = 3, kFewSequences = 1, kSequences = 8;
    static PassCounts counts_;
    const std::vector<NamedTarget>& targets_ = allTargets();
    Rng rng_ = passRng(GetParam().name);
};

PassCounts RewritePasses::counts_;

TEST_P(RewritePasses, AreValidForEachTarget) {
    const Input& input = GetParam();
    const Words plain = compiled(input, Variant::kPlain);
    const std::span<const std::string_view> passes = allPasses();
    if (runsAll()) {
        for (const std::string_view pass : passes) check(plain, {pass});
    } else {
        for (size_t i = 0; i < kFewPasses; ++i) check(plain, {passes[rng_.next() % passes.size()]});
    }
    const Words debug = compiled(input, Variant::kDebugInfo);
    for (size_t i = 0; i < (runsAll() ? kSequences : kFewSequences); ++i)
        check(i % 2 == 0 ? debug : plain, randomPasses(rng_));
}

std::vector<Input> validInputs() {
    std::vector<Input> inputs = allInputs();
    std::erase_if(inputs, [](const Input& input) { return hasOneForm(input); });
    return inputs;
}

INSTANTIATE_TEST_SUITE_P(All, RewritePasses, testing::ValuesIn(validInputs()),
                         [](const auto& input) { return input.param.name; });

// What the sweep rests on: passes do change modules, and one that ends its process ends no test.
TEST(Passes, ChangeModules) {
    const Words words = compileGlsl("void main() { for (int i = 0; i < 4; ++i) barrier(); }");
    EXPECT_EQ(afterPasses(words, {"--ssa-rewrite"}).passed, Passed::kChanged);
    EXPECT_EQ(afterPasses(words, {"--flatten-decorations"}).passed, Passed::kSame);
    EXPECT_EQ(afterPasses({words.begin(), words.begin() + 4}, {"--ccp"}).passed, Passed::kFailed);
    EXPECT_THROW(afterPasses(words, {"--no-such-pass"}), std::runtime_error);
}

TEST(Passes, AreKnown) {
    const Words words = compileGlsl("void main() {}");
    for (const std::string_view pass : allPasses()) EXPECT_NO_THROW(afterPasses(words, {pass}));
}

}  // namespace
}  // namespace coopvk::test
