// SPDX-License-Identifier: Apache-2.0
//
// The passes of the optimiser that change control flow: what becomes of branches and blocks, and
// what must stay so that control flow is structured.
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

// An exit that needs the merge instruction: out of a selection within a case.
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

// Its back edge must stay.
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

constexpr std::string_view kPhi = R"(
%31 = OpAccessChain %19 %30 %10 %10
%40 = OpLoad %6 %31
%43 = OpULessThan %4 %40 %13
OpSelectionMerge %61 None
OpBranchConditional %43 %60 %61
%60 = OpLabel
OpBranch %61
%61 = OpLabel
%41 = OpPhi %6 %10 %99 %11 %60
OpStore %31 %41
)";

constexpr std::string_view kPhiBehindALine = R"(
%31 = OpAccessChain %19 %30 %10 %10
%40 = OpLoad %6 %31
%43 = OpULessThan %4 %40 %13
OpSelectionMerge %61 None
OpBranchConditional %43 %60 %61
%60 = OpLabel
OpBranch %61
%61 = OpLabel
OpLine %97 1 1
%41 = OpPhi %6 %10 %99 %11 %60
OpStore %31 %41
)";

const Case kCases[] = {
    {"FoldsSelections", Pass::kFold,
     R"(
%31 = OpAccessChain %19 %30 %10 %10
OpSelectionMerge %62 None
OpBranchConditional %5 %60 %61
%60 = OpLabel
OpStore %31 %11
OpBranch %62
%61 = OpLabel
%40 = OpLoad %6 %31
OpStore %31 %40
OpBranch %62
%62 = OpLabel
%41 = OpPhi %6 %12 %60 %40 %61
OpStore %31 %41
)",
     R"(
%31 = OpAccessChain %19 %30 %10 %10
OpBranch %60
%60 = OpLabel
OpStore %31 %11
OpBranch %62
%62 = OpLabel
%41 = OpPhi %6 %12 %60
OpStore %31 %41
)"},
    {"FoldsSwitches", Pass::kFold,
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
%41 = OpPhi %6 %12 %99 %13 %61
OpStore %31 %41
OpBranch %63
%63 = OpLabel
)",
     R"(
%31 = OpAccessChain %19 %30 %10 %10
OpBranch %62
%62 = OpLabel
%41 = OpPhi %6 %12 %99
OpStore %31 %41
OpBranch %63
%63 = OpLabel
)"},
    {"FoldsToTheDefault", Pass::kFold,
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
)",
     R"(
%31 = OpAccessChain %19 %30 %10 %10
OpBranch %60
%60 = OpLabel
OpStore %31 %10
OpBranch %63
%63 = OpLabel
)"},
    {"KeepsBreaks", Pass::kFold, kBreak, kBreak},
    {"KeepsBackEdges", Pass::kFold, kDoOnce, kDoOnce},
    {"DropsLoopsThatNeverRepeat", Pass::kFold,
     R"(
%31 = OpAccessChain %19 %30 %10 %10
OpBranch %60
%60 = OpLabel
%41 = OpPhi %6 %10 %99 %42 %62
OpLoopMerge %63 %62 None
OpBranch %61
%61 = OpLabel
OpBranchConditional %5 %63 %64
%64 = OpLabel
OpStore %31 %41
OpBranch %62
%62 = OpLabel
%42 = OpIAdd %6 %41 %11
OpBranch %60
%63 = OpLabel
OpStore %31 %41
)",
     R"(
%31 = OpAccessChain %19 %30 %10 %10
OpBranch %60
%60 = OpLabel
%41 = OpPhi %6 %10 %99
OpBranch %61
%61 = OpLabel
OpBranch %63
%63 = OpLabel
OpStore %31 %41
)"},
    // The first exit is out of a selection.
    {"KeepsContinueTargets", Pass::kFold,
     R"(
%31 = OpAccessChain %19 %30 %10 %10
%40 = OpLoad %6 %31
%43 = OpULessThan %4 %40 %13
OpBranch %60
%60 = OpLabel
%41 = OpPhi %6 %10 %99 %42 %62
OpLoopMerge %63 %64 None
OpBranch %61
%61 = OpLabel
OpSelectionMerge %65 None
OpBranchConditional %43 %63 %65
%65 = OpLabel
OpBranchConditional %5 %63 %64
%64 = OpLabel
%42 = OpIAdd %6 %41 %11
OpBranch %62
%62 = OpLabel
OpBranch %60
%63 = OpLabel
OpStore %31 %41
)",
     R"(
%31 = OpAccessChain %19 %30 %10 %10
%40 = OpLoad %6 %31
%43 = OpULessThan %4 %40 %13
OpBranch %60
%60 = OpLabel
%41 = OpPhi %6 %10 %99 %41 %64
OpLoopMerge %63 %64 None
OpBranch %61
%61 = OpLabel
OpSelectionMerge %65 None
OpBranchConditional %43 %63 %65
%65 = OpLabel
OpBranch %63
%64 = OpLabel
OpBranch %60
%63 = OpLabel
OpStore %31 %41
)"},
    // Of a selection with a condition that is not known.
    {"KeepsMergeBlocks", Pass::kFold,
     R"(
%31 = OpAccessChain %19 %30 %10 %10
%40 = OpLoad %6 %31
%43 = OpULessThan %4 %40 %13
OpBranch %60
%60 = OpLabel
OpLoopMerge %63 %62 None
OpBranch %61
%61 = OpLabel
OpSelectionMerge %65 None
OpBranchConditional %43 %64 %66
%64 = OpLabel
OpBranchConditional %5 %63 %65
%66 = OpLabel
OpBranch %62
%65 = OpLabel
OpStore %31 %10
OpBranch %62
%62 = OpLabel
OpBranch %60
%63 = OpLabel
)",
     R"(
%31 = OpAccessChain %19 %30 %10 %10
%40 = OpLoad %6 %31
%43 = OpULessThan %4 %40 %13
OpBranch %60
%60 = OpLabel
OpLoopMerge %63 %62 None
OpBranch %61
%61 = OpLabel
OpSelectionMerge %65 None
OpBranchConditional %43 %64 %66
%64 = OpLabel
OpBranch %63
%66 = OpLabel
OpBranch %62
%65 = OpLabel
OpUnreachable
%62 = OpLabel
OpBranch %60
%63 = OpLabel
)"},
    {"FoldsSelectionsThatDoNothing", Pass::kFold,
     R"(
%31 = OpAccessChain %19 %30 %10 %10
%40 = OpLoad %6 %31
%43 = OpULessThan %4 %40 %13
OpSelectionMerge %61 None
OpBranchConditional %43 %60 %62
%60 = OpLabel
OpBranch %61
%62 = OpLabel
OpBranch %61
%61 = OpLabel
)",
     R"(
%31 = OpAccessChain %19 %30 %10 %10
%40 = OpLoad %6 %31
%43 = OpULessThan %4 %40 %13
OpBranch %61
%61 = OpLabel
)"},
    {"KeepsSelectionsOfValues", Pass::kFold, kPhi, kPhi},
    {"KeepsSelectionsOfValuesBehindLines", Pass::kFold, kPhiBehindALine, kPhiBehindALine},
    // The selection dominates the last block only before.
    {"OrdersBlocks", Pass::kFold,
     R"(
%31 = OpAccessChain %19 %30 %10 %10
OpSelectionMerge %61 None
OpBranchConditional %5 %60 %61
%61 = OpLabel
OpStore %31 %10
OpReturn
%60 = OpLabel
OpStore %31 %11
OpBranch %61
OpFunctionEnd
%70 = OpFunction %2 None %3
%71 = OpLabel
)",
     R"(
%31 = OpAccessChain %19 %30 %10 %10
OpBranch %60
%60 = OpLabel
OpStore %31 %11
OpBranch %61
%61 = OpLabel
OpStore %31 %10
OpReturn
OpFunctionEnd
%70 = OpFunction %2 None %3
%71 = OpLabel
)"},
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
