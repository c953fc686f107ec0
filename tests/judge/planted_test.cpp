// SPDX-License-Identifier: Apache-2.0
//
// Faults planted in coopvk's output: an edit of its text, and the check that finds it, or the
// comparison with what the module does natively.
#include <gtest/gtest.h>

#include <regex>
#include <vector>

#include "judged.hpp"

namespace coopvk::judge {
namespace {

using namespace reference;

constexpr uint32_t kComparison = 0;  // no check: results differ

// All matches of a regular expression, which is in one line, are replaced.
struct Edit {
    const char* pattern;
    const char* replacement;
};

struct Planted {
    const char* name;
    Judged (*judged)();
    uint32_t check;
    std::vector<Edit> edits;
    const char* original = "";  // the instruction of the module that the report names
};

const Planted kPlanted[] = {
    {"MissingBarrier",
     sharedStore,
     kCheckRaces,
     {{"OpControlBarrier %.*\n", ""}},
     "OpCooperativeMatrixLoadKHR"},
    {"StoreWithoutNonPrivate",
     sharedStore,
     kCheckRaces,
     {{"(OpStore .*) NonPrivatePointer", "$1"}},
     "OpCooperativeMatrixLoadKHR"},
    {"LoadWithoutNonPrivate",
     sharedStore,
     kCheckRaces,
     {{"(= OpLoad .*) NonPrivatePointer", "$1"}},
     "OpCooperativeMatrixLoadKHR"},
    {"NothingAvailable",
     sharedStore,
     kCheckRaces,
     {{"%uint 24840", "%uint 0x4108"}},
     "OpCooperativeMatrixLoadKHR"},
    {"NothingVisible",
     sharedStore,
     kCheckRaces,
     {{"%uint 24840", "%uint 0x2108"}},
     "OpCooperativeMatrixLoadKHR"},
    {"DivergentBarrier",
     sharedStore,
     kCheckDivergence,
     {{"%void = OpTypeVoid", "%void = OpTypeVoid\n%planted = OpTypeBool"},
      {"(%\\d+) = OpLoad %uint %coopvk_invocation\n",
       "$&%early = OpULessThan %planted $1 %uint_2\n"},
      {"OpControlBarrier %.*\n",
       "OpSelectionMerge %merge None\nOpBranchConditional %early %meet %merge\n"
       "%meet = OpLabel\n$&OpBranch %merge\n%merge = OpLabel\n"}}},
    {"RowsPastTheEnd",
     product,
     kCheckBounds,
     {{"OpConstant %uint 2\n", "OpConstant %uint 3\n"}},
     "OpCooperativeMatrixLoadKHR"},
    {"UndefinedElement",
     product,
     kCheckUndefined,
     {{"%float = OpTypeFloat 32\n", "$&%planted = OpUndef %float\n"},
      {"(OpCompositeConstruct %_arr_float_uint_16) %\\d+", "$1 %planted"}},
     "OpCooperativeMatrixStoreKHR"},
    {"ElementsSwapped",
     product,
     kComparison,
     {{"(OpCompositeConstruct %_arr_float_uint_24)( %\\d+)( %\\d+)", "$1$3$2"}}},
    {"LanesSwapped",
     product,
     kComparison,
     {{"(%\\d+ = OpIMul %uint) (%\\d+) %uint_2\n",
       "%planted = OpBitwiseXor %uint $2 %uint_1\n$1 %planted %uint_2\n"}}},
    {"ClipReadsOneMore", clippedTensor, kComparison, {{"OpULessThan ", "OpULessThanEqual "}}},
    {"ClipPastTheEnd",
     clippedTensor,
     kCheckBounds,
     {{"UMin (%\\d+) %uint_3\n", "UMin $1 %uint_4\n"}}},
};

class PlantedInOutput : public testing::TestWithParam<Planted> {};

TEST_P(PlantedInOutput, IsFound) {
    const Planted& planted = GetParam();
    const Judged judged = planted.judged();
    const std::string output = rewritten(judged);
    std::string edited = output;
    for (const Edit& edit : planted.edits) {
        const std::string before = edited;
        edited = std::regex_replace(before, std::regex(edit.pattern), edit.replacement);
        ASSERT_NE(edited, before) << edit.pattern << "\n" << output;
    }
    const auto execution = run(judged, edited);
    bool found = false;
    for (const Report& report : execution.reports) {
        found = found || (report.check == planted.check &&
                          report.instruction.find(planted.original) != std::string::npos);
        if (planted.check == kComparison) ADD_FAILURE() << describe(report);
    }
    if (planted.check == kComparison)
        EXPECT_NE(execution.buffers.at(2), run(judged, judged.text).buffers.at(2));
    else
        EXPECT_TRUE(found) << (execution.reports.empty() ? "no report"
                                                         : describe(execution.reports[0]));
}

INSTANTIATE_TEST_SUITE_P(All, PlantedInOutput, testing::ValuesIn(kPlanted),
                         [](const auto& given) { return given.param.name; });

// Without a fault coopvk's output gives the same results, and no report.
TEST(Judge, SoundOutput) {
    for (const Judged& judged : {product(), sharedStore(), clippedTensor(), unslicedTensor()}) {
        SCOPED_TRACE(judged.name);
        const auto native = run(judged, judged.text), output = run(judged, rewritten(judged));
        for (const auto* execution : {&native, &output})
            for (const Report& report : execution->reports) ADD_FAILURE() << describe(report);
        EXPECT_EQ(native.buffers.at(2), output.buffers.at(2));
    }
    const auto whole = run(unslicedTensor(), rewritten(unslicedTensor()));
    EXPECT_EQ(whole.buffers.at(2), whole.buffers.at(1));
}

}  // namespace
}  // namespace coopvk::judge
