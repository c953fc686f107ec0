// SPDX-License-Identifier: Apache-2.0
//
// Each pass of the optimiser alone: what it makes of a function, and what it must leave.
#include <gtest/gtest.h>

#include "assemble.hpp"
#include "optimise/dead_code.hpp"
#include "optimise_module.hpp"

namespace coopvk::rewrite::optimise_test {
namespace {

using optimise_module::Case;
using optimise_module::Pass;

constexpr std::string_view kAcrossBlocks = R"(
%31 = OpAccessChain %19 %30 %10 %10
%40 = OpLoad %6 %31
%41 = OpIMul %6 %40 %13
OpStore %31 %41
OpSelectionMerge %61 None
OpBranchConditional %5 %60 %61
%60 = OpLabel
%42 = OpIMul %6 %40 %13
OpStore %31 %42
OpBranch %61
%61 = OpLabel
)";

const Case kCases[] = {
    {"Simplifies", Pass::kBlock,
     R"(
%31 = OpAccessChain %19 %30 %10 %10
%40 = OpLoad %6 %31
%41 = OpIAdd %6 %40 %10
%42 = OpCompositeConstruct %8 %41 %40
%43 = OpCompositeExtract %6 %42 1
%44 = OpBitcast %7 %43
%45 = OpBitcast %6 %44
%46 = OpSelect %6 %5 %45 %12
%47 = OpCopyObject %6 %46
OpStore %31 %47
%48 = OpIMul %6 %12 %13
%49 = OpIAdd %6 %48 %40
OpStore %31 %49
%50 = OpBitcast %7 %14
%51 = OpFAdd %7 %50 %44
%52 = OpBitcast %6 %51
OpStore %31 %52
%53 = OpCompositeExtract %6 %42 0
%54 = OpCompositeConstruct %8 %53 %43
%55 = OpCompositeInsert %8 %12 %54 0
%56 = OpCompositeExtract %6 %55 1
OpStore %31 %56
%57 = OpExtInst %6 %96 UMin %12 %13
%58 = OpExtInst %6 %96 UMax %57 %13
%59 = OpExtInst %6 %96 UMax %58 %40
OpStore %31 %59
)",
     R"(
%31 = OpAccessChain %19 %30 %10 %10
%40 = OpLoad %6 %31
%42 = OpCompositeConstruct %8 %40 %40
%44 = OpBitcast %7 %40
OpStore %31 %40
%49 = OpIAdd %6 %20 %40
OpStore %31 %49
%51 = OpFAdd %7 %15 %44
%52 = OpBitcast %6 %51
OpStore %31 %52
%55 = OpCompositeInsert %8 %12 %42 0
OpStore %31 %40
%59 = OpExtInst %6 %96 UMax %13 %40
OpStore %31 %59
)"},
    {"KeepsDecoratedValues", Pass::kBlock,
     R"(
%31 = OpAccessChain %19 %30 %10 %10
%40 = OpLoad %6 %31
%98 = OpIAdd %6 %40 %10
OpStore %31 %98
)",
     R"(
%31 = OpAccessChain %19 %30 %10 %10
%40 = OpLoad %6 %31
%98 = OpIAdd %6 %40 %10
OpStore %31 %98
)"},
    // On either side where operands commute.
    {"DropsNeutralOperands", Pass::kBlock,
     R"(
%31 = OpAccessChain %19 %30 %10 %10
%40 = OpLoad %6 %31
%41 = OpISub %6 %40 %10
%42 = OpBitwiseOr %6 %10 %41
%43 = OpBitwiseXor %6 %42 %10
%44 = OpShiftLeftLogical %6 %43 %10
%45 = OpShiftRightLogical %6 %44 %10
%46 = OpShiftRightArithmetic %6 %45 %10
%47 = OpIMul %6 %11 %46
%48 = OpUDiv %6 %47 %11
%49 = OpSDiv %6 %48 %11
%50 = OpBitwiseAnd %6 %23 %49
OpStore %31 %50
%51 = OpINotEqual %4 %40 %11
%52 = OpLogicalOr %4 %22 %51
%53 = OpLogicalAnd %4 %52 %5
%54 = OpSelect %6 %53 %40 %12
OpStore %31 %54
%55 = OpISub %6 %10 %40
OpStore %31 %55
%56 = OpUDiv %6 %11 %40
OpStore %31 %56
%57 = OpShiftLeftLogical %6 %10 %40
OpStore %31 %57
)",
     R"(
%31 = OpAccessChain %19 %30 %10 %10
%40 = OpLoad %6 %31
OpStore %31 %40
%51 = OpINotEqual %4 %40 %11
%54 = OpSelect %6 %51 %40 %12
OpStore %31 %54
%55 = OpISub %6 %10 %40
OpStore %31 %55
%56 = OpUDiv %6 %11 %40
OpStore %31 %56
%57 = OpShiftLeftLogical %6 %10 %40
OpStore %31 %57
)"},
    // An insertion into a part of what is read changes that; one beside it does not.
    {"ReadsBehindInsertions", Pass::kBlock,
     R"(
%31 = OpAccessChain %19 %30 %10 %10
%40 = OpLoad %6 %31
%41 = OpCompositeConstruct %16 %40 %12
%42 = OpCompositeConstruct %21 %41 %41
%43 = OpCompositeInsert %21 %13 %42 0 1
%44 = OpCompositeExtract %16 %43 0
%45 = OpCompositeExtract %6 %44 1
OpStore %31 %45
%46 = OpCompositeExtract %16 %43 1
%47 = OpCompositeExtract %6 %46 0
OpStore %31 %47
)",
     R"(
%31 = OpAccessChain %19 %30 %10 %10
%40 = OpLoad %6 %31
%41 = OpCompositeConstruct %16 %40 %12
%42 = OpCompositeConstruct %21 %41 %41
%43 = OpCompositeInsert %21 %13 %42 0 1
%44 = OpCompositeExtract %16 %43 0
OpStore %31 %13
OpStore %31 %40
)"},
    {"KeepsEqualValuesOfOtherBlocks", Pass::kBlock, kAcrossBlocks, kAcrossBlocks},
    {"SharesEqualValuesOfDominators", Pass::kFunction, kAcrossBlocks,
     R"(
%31 = OpAccessChain %19 %30 %10 %10
%40 = OpLoad %6 %31
%41 = OpIMul %6 %40 %13
OpStore %31 %41
OpSelectionMerge %61 None
OpBranchConditional %5 %60 %61
%60 = OpLabel
OpStore %31 %41
OpBranch %61
%61 = OpLabel
)"},
    {"RemovesWhatNothingReads", Pass::kUnread,
     R"(
%50 = OpVariable %17 Function
%31 = OpAccessChain %19 %30 %10 %10
%32 = OpAccessChain %19 %30 %10 %11
%40 = OpLoad %6 %31
%41 = OpLoad %6 %32
%42 = OpIAdd %6 %41 %11
%43 = OpLoad %6 %31 Volatile
%44 = OpAtomicIAdd %6 %31 %11 %10 %40
OpStore %50 %42
OpReturn
OpFunctionEnd
%70 = OpFunction %2 None %3
%71 = OpLabel
)",
     R"(
%31 = OpAccessChain %19 %30 %10 %10
%40 = OpLoad %6 %31
%43 = OpLoad %6 %31 Volatile
%44 = OpAtomicIAdd %6 %31 %11 %10 %40
)"},
    // Those of floats stay: compilers of drivers fuse them.
    {"SharesFunctionsOfIntegers", Pass::kBlock,
     R"(
%31 = OpAccessChain %19 %30 %10 %10
%40 = OpLoad %6 %31
%41 = OpNot %6 %40
%42 = OpExtInst %6 %96 UMin %40 %41
%43 = OpExtInst %6 %96 UMin %40 %41
OpStore %31 %42
OpStore %31 %43
%44 = OpExtInst %6 %96 UMax %40 %41
%45 = OpExtInst %6 %96 UMax %40 %41
OpStore %31 %44
OpStore %31 %45
%46 = OpExtInst %6 %96 SMin %40 %41
%47 = OpExtInst %6 %96 SMin %40 %41
OpStore %31 %46
OpStore %31 %47
%48 = OpExtInst %6 %96 SMax %40 %41
%49 = OpExtInst %6 %96 SMax %40 %41
OpStore %31 %48
OpStore %31 %49
%50 = OpExtInst %6 %96 UClamp %40 %10 %41
%51 = OpExtInst %6 %96 UClamp %40 %10 %41
OpStore %31 %50
OpStore %31 %51
%52 = OpExtInst %6 %96 SClamp %40 %10 %41
%53 = OpExtInst %6 %96 SClamp %40 %10 %41
OpStore %31 %52
OpStore %31 %53
%60 = OpBitcast %7 %40
%61 = OpExtInst %7 %96 FMin %60 %15
%62 = OpExtInst %7 %96 FMin %60 %15
%63 = OpBitcast %6 %61
%64 = OpBitcast %6 %62
OpStore %31 %63
OpStore %31 %64
)",
     R"(
%31 = OpAccessChain %19 %30 %10 %10
%40 = OpLoad %6 %31
%41 = OpNot %6 %40
%42 = OpExtInst %6 %96 UMin %40 %41
OpStore %31 %42
OpStore %31 %42
%44 = OpExtInst %6 %96 UMax %40 %41
OpStore %31 %44
OpStore %31 %44
%46 = OpExtInst %6 %96 SMin %40 %41
OpStore %31 %46
OpStore %31 %46
%48 = OpExtInst %6 %96 SMax %40 %41
OpStore %31 %48
OpStore %31 %48
%50 = OpExtInst %6 %96 UClamp %40 %10 %41
OpStore %31 %50
OpStore %31 %50
%52 = OpExtInst %6 %96 SClamp %40 %10 %41
OpStore %31 %52
OpStore %31 %52
%60 = OpBitcast %7 %40
%61 = OpExtInst %7 %96 FMin %60 %15
%62 = OpExtInst %7 %96 FMin %60 %15
%63 = OpBitcast %6 %61
%64 = OpBitcast %6 %62
OpStore %31 %63
OpStore %31 %64
)"},
};

class Optimise : public testing::TestWithParam<Case> {};

TEST_P(Optimise, MakesWhatIsExpected) { optimise_module::expectAfterPass(GetParam()); }

INSTANTIATE_TEST_SUITE_P(All, Optimise, testing::ValuesIn(kCases),
                         [](const auto& test) { return std::string(test.param.name); });

// Types and constants that nothing names go, but not what a mode or a decoration names.
TEST(RemoveUnread, KeepsWhatIsNamed) {
    Result<Module> module = Module::parse(optimise_module::assembled(""));
    ASSERT_TRUE(module);
    removeUnread(*module);
    const std::vector<uint32_t> words = module->serialise();
    EXPECT_EQ(validate(words), std::nullopt);
    EXPECT_EQ(module->def(9).opcode, spv::Op::OpNop);
    EXPECT_EQ(module->def(14).opcode, spv::Op::OpNop);
    EXPECT_EQ(module->def(30).opcode, spv::Op::OpVariable) << "the interface names it";
    EXPECT_EQ(module->def(6).opcode, spv::Op::OpTypeInt) << "it is in the buffer";
}

}  // namespace
}  // namespace coopvk::rewrite::optimise_test
