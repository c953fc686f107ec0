// SPDX-License-Identifier: Apache-2.0
//
// Faults that no sample hits: a proof finds inputs that show them.
#include "rare_faults.hpp"

#include <gtest/gtest.h>

#include "../driver/harness/shader.hpp"
#include "../test_part.hpp"
#include "prove.hpp"

namespace coopvk::test {
namespace {

using check::ProofVerdict;

// Those with numbers whose elements are many take seconds.
constexpr uint64_t kRareAll = 100, kRareLarge = 11, kRareNames = 13;

class RareFaults : public testing::TestWithParam<uint64_t> {};

TEST_P(RareFaults, AreFound) {
    const uint64_t seed = GetParam();
    const RareFault fault = rareFault(seed);
    SCOPED_TRACE(fault.name);
    const Words right = compileGlsl(fault.right);
    Words faulty = compileGlsl(fault.faulty);
    check::Subject subject{.words = right, .specialization = {}};
    check::ProofOptions options;
    options.check.lanes = {32};
    options.check.backEnds = {rewrite::BackEnd::kCore};
    options.check.memory.bufferSize = fault.bufferSize;
    options.check.memory.seed = seed;
    options.check.threads = 1;
    options.hasDevice = true;
    if (fault.hasMatrices) {
        const auto classes = check::deviceClasses();
        rewrite::Target target{
            .device = check::referenceTraits(classes[seed / kRareNames % classes.size()])};
        target.subgroupSize = 32;
        target.backEnd = rewrite::BackEnd::kCore;
        auto rewritten = rewrite::rewrite({.words = faulty, .entryPoint = "main"}, target);
        ASSERT_TRUE(rewritten) << rewritten.error().message;
        faulty = std::move(rewritten->words);
    }
    subject.rewritten = faulty;
    // Samples do not show it.
    check::Options samples = options.check;
    samples.moreValues = samples.moreSpecials = true;
    const auto sampled = check::check(subject, samples);
    ASSERT_FALSE(sampled.empty());
    for (const check::Outcome& outcome : sampled)
        EXPECT_EQ(check::isFault(outcome.verdict), fault.isAlways) << outcome.message;
    const auto proofs = check::prove(subject, options);
    ASSERT_FALSE(proofs.empty());
    for (const check::ProofOutcome& outcome : proofs) {
        EXPECT_TRUE(outcome.verdict == ProofVerdict::kDiffers)
            << check::nameOf(outcome.verdict) << ": " << outcome.message;
        EXPECT_NE(outcome.message.starts_with("with "), fault.isAlways) << outcome.message;
    }
}

std::vector<uint64_t> rareSeeds() {
    std::vector<uint64_t> some;
    for (uint64_t n = 0; n < kRareAll; ++n) {
        const uint64_t seed = n + testSeed() * kRareAll;
        if (runsAll() ||
            (n < kRareNames && n % 2 == testSeed() % 2 && seed % kRareNames != kRareLarge))
            some.push_back(seed);
    }
    return some;
}

INSTANTIATE_TEST_SUITE_P(All, RareFaults, testing::ValuesIn(rareSeeds()));

}  // namespace
}  // namespace coopvk::test
