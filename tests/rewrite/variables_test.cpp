// SPDX-License-Identifier: Apache-2.0
//
// Variables of functions as values.
#include <gtest/gtest.h>

#include "optimise_module.hpp"

namespace coopvk::rewrite::variables_test {
namespace {

using optimise_module::Case;
using optimise_module::Pass;

constexpr std::string_view kVolatile = R"(
%50 = OpVariable %17 Function
%31 = OpAccessChain %19 %30 %10 %10
OpStore %50 %11 Volatile
%40 = OpLoad %6 %50
OpStore %31 %40
)";

// A variable that both branches may store to, and what is behind them.
constexpr std::string_view kBranches = R"(
%50 = OpVariable %17 Function
%31 = OpAccessChain %19 %30 %10 %10
%40 = OpLoad %6 %31
%41 = OpIEqual %4 %40 %10
OpStore %50 %11
OpSelectionMerge %61 None
OpBranchConditional %41 %60 %61
%60 = OpLabel
OpStore %50 %12
OpBranch %61
%61 = OpLabel
%42 = OpLoad %6 %50
OpStore %31 %42
)";

constexpr std::string_view kUnstored = R"(
%50 = OpVariable %17 Function
%31 = OpAccessChain %19 %30 %10 %10
%42 = OpLoad %6 %50
OpStore %31 %42
)";

const Case kCases[] = {
    {"ForwardsInABlock", Pass::kForward,
     R"(
%50 = OpVariable %17 Function %13
%31 = OpAccessChain %19 %30 %10 %10
%40 = OpLoad %6 %50
OpStore %31 %40
OpStore %50 %11
%41 = OpLoad %6 %50
OpStore %50 %12
OpStore %31 %41
)",
     R"(
%31 = OpAccessChain %19 %30 %10 %10
OpStore %31 %13
OpStore %31 %11
)"},
    {"ForwardsThroughLoops", Pass::kForward,
     R"(
%50 = OpVariable %17 Function
%31 = OpAccessChain %19 %30 %10 %10
OpStore %50 %12
OpBranch %60
%60 = OpLabel
OpLoopMerge %63 %62 None
OpBranch %61
%61 = OpLabel
%44 = OpLoad %6 %50
%43 = OpULessThan %4 %44 %13
OpBranchConditional %43 %62 %63
%62 = OpLabel
OpBranch %60
%63 = OpLabel
OpStore %31 %11
)",
     R"(
%31 = OpAccessChain %19 %30 %10 %10
OpBranch %60
%60 = OpLabel
OpLoopMerge %63 %62 None
OpBranch %61
%61 = OpLabel
%43 = OpULessThan %4 %12 %13
OpBranchConditional %43 %62 %63
%62 = OpLabel
OpBranch %60
%63 = OpLabel
OpStore %31 %11
)"},
    {"KeepsWhereValuesMeet", Pass::kForward, kBranches, kBranches},
    {"KeepsWhatNothingStored", Pass::kForward, kUnstored, kUnstored},
    {"KeepsVolatileAccesses", Pass::kForward, kVolatile, kVolatile},
};

class Variables : public testing::TestWithParam<Case> {};

TEST_P(Variables, MakesWhatIsExpected) { optimise_module::expectAfterPass(GetParam()); }

INSTANTIATE_TEST_SUITE_P(All, Variables, testing::ValuesIn(kCases),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace coopvk::rewrite::variables_test
