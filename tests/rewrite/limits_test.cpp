// SPDX-License-Identifier: Apache-2.0
//
// The limit of the work for one module: deterministic, named in the refusal, and the same whatever
// else the machine does.
#include <gtest/gtest.h>

#include "api/passes.hpp"
#include "assemble.hpp"
#include "coopvk/rewrite.hpp"
#include "ir/module.hpp"

namespace coopvk::rewrite::limits_test {
namespace {

class Limits : public testing::Test {
 protected:
    Result<Rewritten> within(uint64_t steps) const {
        Request request;
        request.words = words;
        request.maxSteps = steps;
        return rewrite(request, Target{});
    }

    const std::vector<uint32_t> words = test::assemble(test::multiplyModule(16, 16, 16));
};

TEST_F(Limits, AsManyStepsAsItTakes) {
    const auto all = within(kMaxSteps);
    ASSERT_TRUE(all) << all.error().message;
    EXPECT_GT(all->steps, words.size());
    EXPECT_LT(all->steps, kMaxSteps / 100) << "the limit is for what no program does";
    for (const uint64_t enough : {uint64_t{0}, all->steps, all->steps + 1}) {
        const auto again = within(enough);
        ASSERT_TRUE(again) << again.error().message;
        EXPECT_EQ(again->steps, all->steps);
        EXPECT_EQ(again->words, all->words);
    }
}

TEST_F(Limits, RefusedBeyond) {
    const uint64_t all = within(0)->steps;
    for (const uint64_t few : {uint64_t{1}, uint64_t{1000}, all - 1}) {
        const auto refused = within(few);
        ASSERT_FALSE(refused) << few;
        EXPECT_EQ(refused.error().code, ErrorCode::kTooManySteps);
        EXPECT_EQ(refused.error().message,
                  "takes more than " + std::to_string(few) + " steps (setting rewrite_limit)");
    }
}

// Neither look-ups without end nor instructions without end.
TEST_F(Limits, EachKindOfStep) {
    Result<Module> module = Module::parse(words);
    ASSERT_TRUE(module);
    module->limitSteps(module->steps() + 100);
    for (int i = 0; i < 100; ++i) module->def(1);
    EXPECT_THROW(module->def(1), TooManySteps);
    module->limitSteps(module->steps() + 100);
    const auto append = [&] {
        for (int i = 0; i < 100; ++i) {
            module->append(Section::kGlobals, makeInstruction(OpTypeVoid, 0, module->takeId(), {}));
        }
    };
    EXPECT_THROW(append(), TooManySteps);
}

TEST_F(Limits, Ids) {
    std::vector<uint32_t> output = words;
    output[3] = kMaxIdBound;
    EXPECT_FALSE(checkBound(output));
    ++output[3];
    const auto refused = checkBound(output);
    ASSERT_TRUE(refused);
    EXPECT_EQ(refused->message, "the rewritten shader has 4194304 ids; SPIR-V allows 4194303");
}

}  // namespace
}  // namespace coopvk::rewrite::limits_test
