// SPDX-License-Identifier: Apache-2.0
//
// Variables of functions as values, and in parts.
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

constexpr std::string_view kIndexed = R"(
%50 = OpVariable %18 Function
%31 = OpAccessChain %19 %30 %10 %10
%40 = OpLoad %6 %31
%51 = OpAccessChain %17 %50 %10
OpStore %51 %40
%52 = OpAccessChain %17 %50 %40
%42 = OpLoad %6 %52
OpStore %31 %42
)";

// The array has two elements.
constexpr std::string_view kOutside = R"(
%50 = OpVariable %18 Function
%31 = OpAccessChain %19 %30 %10 %10
%51 = OpAccessChain %17 %50 %12
OpStore %51 %13
%52 = OpAccessChain %17 %50 %10
%42 = OpLoad %6 %52
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
    {"ForwardsByPhis", Pass::kForward, kBranches,
     R"(
%31 = OpAccessChain %19 %30 %10 %10
%40 = OpLoad %6 %31
%41 = OpIEqual %4 %40 %10
OpSelectionMerge %61 None
OpBranchConditional %41 %60 %61
%60 = OpLabel
OpBranch %61
%61 = OpLabel
%100 = OpPhi %6 %11 %99 %12 %60
OpStore %31 %100
)"},
    {"ForwardsThroughLoops", Pass::kForward,
     R"(
%50 = OpVariable %17 Function
%51 = OpVariable %17 Function
%31 = OpAccessChain %19 %30 %10 %10
OpStore %50 %10
OpStore %51 %12
OpBranch %60
%60 = OpLabel
OpLoopMerge %63 %62 None
OpBranch %61
%61 = OpLabel
%41 = OpLoad %6 %50
%44 = OpLoad %6 %51
%43 = OpULessThan %4 %41 %44
OpBranchConditional %43 %62 %63
%62 = OpLabel
%45 = OpLoad %6 %50
%42 = OpIAdd %6 %45 %11
OpStore %50 %42
OpBranch %60
%63 = OpLabel
OpStore %31 %11
)",
     R"(
%31 = OpAccessChain %19 %30 %10 %10
OpBranch %60
%60 = OpLabel
%100 = OpPhi %6 %10 %99 %42 %62
OpLoopMerge %63 %62 None
OpBranch %61
%61 = OpLabel
%43 = OpULessThan %4 %100 %12
OpBranchConditional %43 %62 %63
%62 = OpLabel
%42 = OpIAdd %6 %100 %11
OpBranch %60
%63 = OpLabel
OpStore %31 %11
)"},
    {"KeepsVolatileAccesses", Pass::kForward, kVolatile, kVolatile},
    {"SplitsByConstantIndices", Pass::kSplit,
     R"(
%50 = OpVariable %18 Function
%31 = OpAccessChain %19 %30 %10 %10
%51 = OpAccessChain %17 %50 %11
OpStore %51 %12
%52 = OpAccessChain %17 %50 %10
OpStore %52 %13
%53 = OpAccessChain %17 %50 %11
%42 = OpLoad %6 %53
OpStore %31 %42
)",
     R"(
%100 = OpVariable %17 Function
%101 = OpVariable %17 Function
%31 = OpAccessChain %19 %30 %10 %10
OpStore %100 %12
OpStore %101 %13
%42 = OpLoad %6 %100
OpStore %31 %42
)"},
    {"KeepsWhatIsIndexed", Pass::kSplit, kIndexed, kIndexed},
    {"KeepsWhatIsIndexedOutside", Pass::kSplit, kOutside, kOutside},
    {"KeepsStoresToParts", Pass::kForward, kIndexed, kIndexed},
};

class Variables : public testing::TestWithParam<Case> {};

TEST_P(Variables, MakesWhatIsExpected) { optimise_module::expectAfterPass(GetParam()); }

INSTANTIATE_TEST_SUITE_P(All, Variables, testing::ValuesIn(kCases),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace coopvk::rewrite::variables_test
