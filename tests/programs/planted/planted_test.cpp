// SPDX-License-Identifier: Apache-2.0
//
// Random programs find decisions for another device: what coopvk makes of a program for it parts
// from what the program does natively. Many decisions do not matter for a program's results, so
// each has several programs to be found in.
#include <gtest/gtest.h>

#include <stdexcept>

#include "case.hpp"

namespace coopvk::programs {
namespace {

constexpr uint64_t kFirstSeed = 1;
// Programs that are made to find ones that suit.
constexpr uint32_t kMost = 1500;

// Calls edit(made, words) for programs until one is found to part from its edited output, which is
// empty for programs that do not suit. Which one of those that suit it was; 0: none of `within`.
template <typename EditedOutput>
uint32_t findIn(uint32_t within, const EditedOutput& edit) {
    uint32_t planted = 0;
    for (uint64_t seed = kFirstSeed; seed < kFirstSeed + kMost && planted < within; ++seed) {
        Case made = caseOf(seed, nullptr, Size::kLarge);
        made.validate = true;  // an edit may make a module invalid, which is not counted
        if (!made.program.canBeValidated) continue;
        std::string problem;
        const auto words = assemble(made.program.text, problem);
        if (!words) throw std::runtime_error(problem);
        const std::string text = edit(made, *words);
        if (text.empty()) continue;
        ++planted;
        const auto edited = assemble(text, problem);
        if (!edited) throw std::runtime_error(problem);
        const check::Verdict verdict = execute(made, *words, *edited).verdict;
        if (verdict == check::Verdict::kDiffers || verdict == check::Verdict::kReports)
            return planted;
    }
    return 0;
}

// The rewriter decides for another device.
struct Decision {
    const char* name;
    void (*change)(rewrite::Target&);
    uint32_t within;
};
const Decision kDecisions[] = {
    {"HalfOfTheLanes",
     [](rewrite::Target& target) { target.subgroupSize = std::max(4u, target.subgroupSize / 2); },
     10},
    {"OtherLayoutOfWeights", [](rewrite::Target& target) { target.device.blockedWeights = true; },
     200},
};

class WrongDecision : public testing::TestWithParam<Decision> {};

TEST_P(WrongDecision, IsFound) {
    const Decision& decision = GetParam();
    const uint32_t found =
        findIn(decision.within, [&](const Case& made, const std::vector<uint32_t>& words) {
            rewrite::Target target = targetOf(made);
            decision.change(target);
            return rewritten(made, words, target);
        });
    EXPECT_NE(found, 0u);
}

INSTANTIATE_TEST_SUITE_P(All, WrongDecision, testing::ValuesIn(kDecisions),
                         [](const auto& given) { return given.param.name; });

}  // namespace
}  // namespace coopvk::programs
