// SPDX-License-Identifier: Apache-2.0
//
// What the optimiser makes of blocks: those that nothing executes, and those that are joined.
#include <gtest/gtest.h>

#include "optimise_module.hpp"

namespace coopvk::rewrite::branches_test {
namespace {

using optimise_module::Case;
using optimise_module::Pass;

constexpr std::string_view kLoop = R"(
%31 = OpAccessChain %19 %30 %10 %10
OpBranch %60
%60 = OpLabel
%41 = OpPhi %6 %10 %99 %42 %62
OpLoopMerge %63 %62 None
OpBranch %61
%61 = OpLabel
%43 = OpULessThan %4 %41 %13
OpBranchConditional %43 %62 %63
%62 = OpLabel
%42 = OpIAdd %6 %41 %11
OpBranch %60
%63 = OpLabel
OpStore %31 %41
)";

// The taken case has a selection, from which one way leaves the switch.
constexpr std::string_view kBreak = R"(
%31 = OpAccessChain %19 %30 %10 %10
%40 = OpLoad %6 %31
%43 = OpULessThan %4 %40 %13
OpSelectionMerge %63 None
OpSwitch %12 %63 2 %60
%60 = OpLabel
OpSelectionMerge %62 None
OpBranchConditional %43 %61 %62
%61 = OpLabel
OpBranch %63
%62 = OpLabel
OpStore %31 %10
OpBranch %63
%63 = OpLabel
)";

// Its last test is known.
constexpr std::string_view kDoOnce = R"(
%31 = OpAccessChain %19 %30 %10 %10
OpBranch %60
%60 = OpLabel
OpLoopMerge %63 %62 None
OpBranch %61
%61 = OpLabel
OpStore %31 %10
OpBranch %62
%62 = OpLabel
OpBranchConditional %5 %63 %60
%63 = OpLabel
)";

const Case kCases[] = {
    {"EmptiesBranchesThatAreNotTaken", Pass::kUnread,
     R"(
%31 = OpAccessChain %19 %30 %10 %10
OpSelectionMerge %62 None
OpBranchConditional %5 %60 %61
%60 = OpLabel
%40 = OpAtomicIAdd %6 %31 %11 %10 %11
OpBranch %62
%61 = OpLabel
%41 = OpLoad %6 %31
%42 = OpIAdd %6 %41 %11
OpStore %31 %42
%43 = OpAtomicIAdd %6 %31 %11 %10 %11
OpBranch %62
%62 = OpLabel
%44 = OpPhi %6 %12 %60 %41 %61
OpStore %31 %44
)",
     R"(
%31 = OpAccessChain %19 %30 %10 %10
OpSelectionMerge %62 None
OpBranchConditional %5 %60 %61
%60 = OpLabel
%40 = OpAtomicIAdd %6 %31 %11 %10 %11
OpBranch %62
%61 = OpLabel
%41 = OpLoad %6 %31
OpBranch %62
%62 = OpLabel
%44 = OpPhi %6 %12 %60 %41 %61
OpStore %31 %44
)"},
    {"EmptiesCasesThatAreNotTaken", Pass::kUnread,
     R"(
%31 = OpAccessChain %19 %30 %10 %10
OpSelectionMerge %63 None
OpSwitch %13 %60 2 %61 3 %62
%60 = OpLabel
OpStore %31 %10
OpBranch %63
%61 = OpLabel
OpStore %31 %11
OpBranch %62
%62 = OpLabel
OpStore %31 %12
OpBranch %63
%63 = OpLabel
)",
     R"(
%31 = OpAccessChain %19 %30 %10 %10
OpSelectionMerge %63 None
OpSwitch %13 %60 2 %61 3 %62
%60 = OpLabel
OpBranch %63
%61 = OpLabel
OpBranch %62
%62 = OpLabel
OpStore %31 %12
OpBranch %63
%63 = OpLabel
)"},
    {"KeepsTheDefault", Pass::kUnread,
     R"(
%31 = OpAccessChain %19 %30 %10 %10
OpSelectionMerge %63 None
OpSwitch %11 %60 2 %61
%60 = OpLabel
OpStore %31 %10
OpBranch %63
%61 = OpLabel
OpStore %31 %11
OpBranch %63
%63 = OpLabel
)",
     R"(
%31 = OpAccessChain %19 %30 %10 %10
OpSelectionMerge %63 None
OpSwitch %11 %60 2 %61
%60 = OpLabel
OpStore %31 %10
OpBranch %63
%61 = OpLabel
OpBranch %63
%63 = OpLabel
)"},
    {"KeepsBreaks", Pass::kUnread, kBreak, kBreak},
    {"KeepsBackEdges", Pass::kUnread, kDoOnce, kDoOnce},
    {"MergesBlocks", Pass::kMerge,
     R"(
%31 = OpAccessChain %19 %30 %10 %10
OpBranch %60
%60 = OpLabel
%41 = OpPhi %6 %10 %99
OpBranch %61
%61 = OpLabel
OpStore %31 %41
OpSelectionMerge %63 None
OpBranchConditional %5 %62 %63
%62 = OpLabel
OpBranch %63
%63 = OpLabel
%42 = OpPhi %6 %11 %61 %12 %62
OpStore %31 %42
)",
     R"(
%31 = OpAccessChain %19 %30 %10 %10
OpStore %31 %10
OpSelectionMerge %63 None
OpBranchConditional %5 %62 %63
%62 = OpLabel
OpBranch %63
%63 = OpLabel
%42 = OpPhi %6 %11 %99 %12 %62
OpStore %31 %42
)"},
    {"MergesHeadersWithTests", Pass::kMerge, kLoop,
     R"(
%31 = OpAccessChain %19 %30 %10 %10
OpBranch %60
%60 = OpLabel
%41 = OpPhi %6 %10 %99 %42 %62
%43 = OpULessThan %4 %41 %13
OpLoopMerge %63 %62 None
OpBranchConditional %43 %62 %63
%62 = OpLabel
%42 = OpIAdd %6 %41 %11
OpBranch %60
%63 = OpLabel
OpStore %31 %41
)"},
    // A block has no line until it names one.
    {"EndsLinesThatStandAheadOfLabels", Pass::kMerge,
     R"(
%31 = OpAccessChain %19 %30 %10 %10
OpBranch %60
OpLine %97 1 1
%60 = OpLabel
OpStore %31 %10
OpBranch %61
%61 = OpLabel
OpStore %31 %11
)",
     R"(
%31 = OpAccessChain %19 %30 %10 %10
OpLine %97 1 1
OpStore %31 %10
OpNoLine
OpStore %31 %11
)"},
    {"EndsLines", Pass::kMerge,
     R"(
%31 = OpAccessChain %19 %30 %10 %10
OpLine %97 1 1
OpStore %31 %10
OpBranch %60
%60 = OpLabel
OpStore %31 %11
)",
     R"(
%31 = OpAccessChain %19 %30 %10 %10
OpLine %97 1 1
OpStore %31 %10
OpNoLine
OpStore %31 %11
)"},
};

class Branches : public testing::TestWithParam<Case> {};

TEST_P(Branches, BecomeWhatIsExpected) { optimise_module::expectAfterPass(GetParam()); }

INSTANTIATE_TEST_SUITE_P(All, Branches, testing::ValuesIn(kCases),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace coopvk::rewrite::branches_test
