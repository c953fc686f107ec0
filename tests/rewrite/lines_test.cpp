// SPDX-License-Identifier: Apache-2.0
//
// Lines that trace what the output does to the input.
#include <gtest/gtest.h>

#include "assemble.hpp"
#include "coopvk/rewrite.hpp"

namespace coopvk::test::lines_test {
namespace {

using namespace rewrite;

std::string module(const std::string& line) {
    return R"(OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
%file = OpString "a.comp"
OpName %main "main"
%void = OpTypeVoid
%bool = OpTypeBool
%true = OpConstantTrue %bool
%procedure = OpTypeFunction %void
%main = OpFunction %void None %procedure
%first = OpLabel
%x = OpLogicalNot %bool %true
)" + line + R"(OpSelectionMerge %last None
OpBranchConditional %x %then %last
%then = OpLabel
OpBranch %last
%last = OpLabel
%y = OpPhi %bool %x %first %true %then
OpReturn
OpFunctionEnd
)";
}

TEST(Lines, NameEachInstruction) {
    const std::vector<uint32_t> words = withLines(assemble(module("")));
    EXPECT_EQ(validate(words), std::nullopt);
    const std::string text = disassemble(words);
    // OpLogicalNot, OpSelectionMerge, OpBranch and OpReturn; not between a merge and its branch,
    // and not before a phi.
    size_t lines = 0;
    for (size_t at = text.find("OpLine "); at != std::string::npos;
         at = text.find("OpLine ", at + 1))
        ++lines;
    EXPECT_EQ(lines, 4u);
    for (const char* name : {"LogicalNot", "SelectionMerge", "Branch", "Return"})
        EXPECT_NE(text.find("\"input Op" + std::string(name) + ", word\""), std::string::npos)
            << name;
}

TEST(Lines, StayAsTheyAre) {
    const std::vector<uint32_t> words = assemble(module("OpLine %file 7 0\n"));
    EXPECT_EQ(withLines(words), words);
    const std::vector<uint32_t> none = {1, 2, 3};
    EXPECT_EQ(withLines(none), none);
}

}  // namespace
}  // namespace coopvk::test::lines_test
