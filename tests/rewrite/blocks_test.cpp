// SPDX-License-Identifier: Apache-2.0
#include "ir/blocks.hpp"

#include <gtest/gtest.h>

#include "assemble.hpp"

namespace coopvk::rewrite::blocks_test {
namespace {

// Blocks %10 to %19 have the numbers in the comments.
constexpr std::string_view kModule = R"(
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %1 "main"
OpExecutionMode %1 LocalSize 1 1 1
%2 = OpTypeVoid
%3 = OpTypeFunction %2
%4 = OpTypeBool
%5 = OpConstantTrue %4
%1 = OpFunction %2 None %3
%10 = OpLabel ; 0
OpBranch %11
%11 = OpLabel ; 1: a loop, whose merge block is ahead of its other blocks
OpLoopMerge %18 %17 None
OpBranchConditional %5 %12 %18
%18 = OpLabel ; 2
OpBranch %19
%12 = OpLabel ; 3: a loop of one block in it
OpLoopMerge %13 %12 None
OpBranchConditional %5 %12 %13
%13 = OpLabel ; 4: a second loop in it, whose condition is in the last block
OpLoopMerge %16 %15 None
OpBranch %14
%14 = OpLabel ; 5
OpBranch %15
%15 = OpLabel ; 6
OpBranchConditional %5 %13 %16
%16 = OpLabel ; 7
OpBranch %17
%17 = OpLabel ; 8
OpBranch %11
%19 = OpLabel ; 9
OpReturn
OpFunctionEnd
)";

TEST(BlockGraph, KnowsLoopsInAnyOrderOfBlocks) {
    const std::vector<uint32_t> words = test::assemble(kModule);
    ASSERT_FALSE(validate(words));
    const Result<Module> module = Module::parse(words);
    ASSERT_TRUE(module);
    const Function& function = *module->functions().front();
    const BlockGraph graph(function);
    using Numbers = std::vector<size_t>;

    EXPECT_EQ(graph.number(13), 4u);
    EXPECT_EQ(graph.number(1), std::nullopt) << "no label";
    EXPECT_EQ(graph.predecessors(0), Numbers());
    EXPECT_EQ(graph.predecessors(1), (Numbers{0, 8}));
    EXPECT_EQ(graph.predecessors(3), (Numbers{1, 3}));
    EXPECT_EQ(graph.predecessors(4), (Numbers{3, 6}));

    ASSERT_EQ(graph.loops().size(), 3u);
    const Loop& outer = graph.loops()[0];
    const Loop& one = graph.loops()[1];
    const Loop& second = graph.loops()[2];
    EXPECT_EQ(outer.around, nullptr);
    EXPECT_EQ(one.around, &outer);
    EXPECT_EQ(second.around, &outer);
    const Loop* const expected[] = {nullptr, &outer,  nullptr, &one,   &second,
                                    &second, &second, &outer,  &outer, nullptr};
    for (size_t b = 0; b < std::size(expected); ++b) {
        SCOPED_TRACE(b);
        EXPECT_EQ(graph.loopOf(b), expected[b]);
        const size_t depth = expected[b] == nullptr ? 0 : expected[b] == &outer ? 1 : 2;
        EXPECT_EQ(graph.loopDepth(b), depth);
        EXPECT_EQ(graph.isInside(outer, b), depth > 0);
    }
    EXPECT_TRUE(graph.isInside(one, 3));
    EXPECT_FALSE(graph.isInside(one, 4) || graph.isInside(second, 3));
    EXPECT_EQ(second.continueTarget, 6u);
    EXPECT_EQ(second.merge, 7u);
}

TEST(BlockGraph, HasNoLoopsOfAnEmptyFunction) {
    const Function function;
    EXPECT_TRUE(BlockGraph(function).loops().empty());
}

}  // namespace
}  // namespace coopvk::rewrite::blocks_test
