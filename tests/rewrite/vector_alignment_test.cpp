// SPDX-License-Identifier: Apache-2.0
//
// Offsets and strides of cooperative vectors that break Vulkan's rules: what is known to break them
// is accessed in narrower pieces, and a warning names the rule. All else keeps accesses of 16
// bytes. tests/inputs/modules/vector_offsets.comp compares results.
#include <gtest/gtest.h>

#include <format>

#include "assemble.hpp"
#include "coopvk/rewrite.hpp"

namespace coopvk::rewrite::vector_alignment_test {
namespace {

struct Case {
    const char* name;
    std::string code;                   // defines %at, the byte offset
    std::vector<std::string> warnings;  // a part of each; none: the accesses are wide
};

void PrintTo(const Case& one, std::ostream* out) { *out << one.name; }

// Loads a vector from byte %at on; `use`: what else happens.
std::string module(std::string_view code, std::string_view use = "") {
    return std::format(R"(OpCapability Shader
OpCapability Float16
OpCapability StorageBuffer16BitAccess
OpCapability VulkanMemoryModel
OpCapability CooperativeVectorNV
OpCapability CooperativeVectorTrainingNV
OpExtension "SPV_NV_cooperative_vector"
OpMemoryModel Logical Vulkan
OpEntryPoint GLCompute %main "main" %buffer %push %id
OpExecutionMode %main LocalSize 32 1 1
OpDecorate %id BuiltIn GlobalInvocationId
OpDecorate %spec SpecId 0
OpDecorate %array ArrayStride 2
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpMemberDecorate %block 1 Offset 4
OpDecorate %numbers Block
OpMemberDecorate %numbers 0 Offset 0
OpMemberDecorate %numbers 1 Offset 4
OpDecorate %buffer DescriptorSet 0
OpDecorate %buffer Binding 0
%void = OpTypeVoid
%function = OpTypeFunction %void
%bool = OpTypeBool
%false = OpConstantFalse %bool
%uint = OpTypeInt 32 0
%uint3 = OpTypeVector %uint 3
%half = OpTypeFloat 16
%c0 = OpConstant %uint 0
%c1 = OpConstant %uint 1
%c2 = OpConstant %uint 2
%c3 = OpConstant %uint 3
%c4 = OpConstant %uint 4
%c6 = OpConstant %uint 6
%c12 = OpConstant %uint 12
%c16 = OpConstant %uint 16
%c20 = OpConstant %uint 20
%c60 = OpConstant %uint 60
%c64 = OpConstant %uint 64
%c100 = OpConstant %uint 100
%spec = OpSpecConstant %uint 3
%specBytes = OpSpecConstantOp %uint IMul %spec %c12
%count = OpConstant %uint 16
%vector = OpTypeCooperativeVectorNV %half %count
%array = OpTypeRuntimeArray %half
%block = OpTypeStruct %uint %array
%numbers = OpTypeStruct %uint %uint
%pBlock = OpTypePointer StorageBuffer %block
%pArray = OpTypePointer StorageBuffer %array
%pNumbers = OpTypePointer PushConstant %numbers
%pNumber = OpTypePointer PushConstant %uint
%pLocal = OpTypePointer Function %uint
%ofOne = OpTypeFunction %uint %uint
%pId = OpTypePointer Input %uint3
%buffer = OpVariable %pBlock StorageBuffer
%push = OpVariable %pNumbers PushConstant
%id = OpVariable %pId Input
%twelve = OpFunction %uint None %ofOne
%given = OpFunctionParameter %uint
%inside = OpLabel
%sum = OpIAdd %uint %given %c12
OpReturnValue %given
OpFunctionEnd
%main = OpFunction %void None %function
%entry = OpLabel
%local = OpVariable %pLocal Function
%ids = OpLoad %uint3 %id
%me = OpCompositeExtract %uint %ids 0
%pMember = OpAccessChain %pNumber %push %c0
%given0 = OpLoad %uint %pMember
%pOther = OpAccessChain %pNumber %push %c1
%given1 = OpLoad %uint %pOther
%memory = OpAccessChain %pArray %buffer %c1
{}
{}
OpReturn
OpFunctionEnd
)",
                       code,
                       use.empty() ? "%v = OpCooperativeVectorLoadNV %vector %memory %at" : use);
}

Result<Rewritten> run(const std::string& text) {
    const std::vector<uint32_t> words = test::assemble(text);
    Request request;
    request.words = words;
    return rewrite(request, Target());
}

// Whether it loads vectors of four words from the buffer.
bool isWide(const Rewritten& out) {
    return disassemble(out.words).find("OpTypeRuntimeArray %v4uint") != std::string::npos;
}

class Alignment : public testing::TestWithParam<Case> {};

TEST_P(Alignment, Loads) {
    const Case& one = GetParam();
    const Result<Rewritten> out = run(module(one.code));
    ASSERT_TRUE(out) << out.error().message;
    EXPECT_EQ(validate(out->words).value_or(""), "");
    ASSERT_EQ(out->warnings.size(), one.warnings.size())
        << (out->warnings.empty() ? "" : out->warnings[0]);
    for (size_t w = 0; w < one.warnings.size(); ++w) {
        EXPECT_NE(out->warnings[w].find(one.warnings[w]), std::string::npos) << out->warnings[w];
    }
    EXPECT_EQ(isWide(*out), one.warnings.empty());
}

const std::string kRule = "VUID-RuntimeSpirv-OpCooperativeVectorLoadNV-10099";
std::string multiple(int of) {
    return std::format("multiple of {} only, and Vulkan requires 16 ({})", of, kRule);
}

// The array begins at byte 4 of the buffer.
INSTANTIATE_TEST_SUITE_P(
    All, Alignment,
    testing::Values(
        Case{"Constant", "%at = OpIAdd %uint %c12 %c0", {}},
        Case{"OtherConstant", "%at = OpIAdd %uint %c20 %c0", {multiple(8)}},
        Case{"Odd", "%at = OpIAdd %uint %c3 %c0", {multiple(1)}},
        Case{"Specialized", "%at = OpIAdd %uint %specBytes %c0", {multiple(8)}},
        Case{"Given", "%at = OpIAdd %uint %given0 %c12", {}},
        Case{"GivenAndConstant", "%at = OpIAdd %uint %given0 %c4", {multiple(8)}},
        Case{"GivenTimesConstant",
             "%bytes = OpIMul %uint %given0 %c2\n%at = OpIAdd %uint %bytes %c12",
             {}},
        Case{"Invocation", "%bytes = OpIMul %uint %me %c64\n%at = OpIAdd %uint %bytes %c12", {}},
        Case{"InvocationTimesFour",
             "%bytes = OpIMul %uint %me %c20\n%at = OpIAdd %uint %bytes %c12",
             {multiple(4)}},
        Case{"InvocationTimesGiven",
             "%bytes = OpIMul %uint %me %given1\n%at = OpIAdd %uint %bytes %c12",
             {}},
        Case{"Stored",
             "OpStore %local %given0\n%l = OpLoad %uint %local\n"
             "%at = OpIAdd %uint %l %c12",
             {}},
        Case{"StoredConstant",
             "OpStore %local %c6\n%l = OpLoad %uint %local\n"
             "%at = OpIAdd %uint %l %c12",
             {multiple(2)}},
        Case{"Passed",
             "%l = OpFunctionCall %uint %twelve %given1\n"
             "%at = OpIAdd %uint %l %c12",
             {}}),
    [](const auto& one) { return one.param.name; });

TEST(AlignmentOfMatrices, NamesEachRule) {
    const Result<Rewritten> out = run(module(
        "%at = OpIAdd %uint %c12 %c0\n%x = OpCooperativeVectorLoadNV %vector %memory %at",
        "%y = OpCooperativeVectorMatrixMulAddNV %vector %x %c0 %memory %c12 %c0 %memory %c0 %c0 "
        "%count %count %c0 %false %c20"));
    ASSERT_TRUE(out) << out.error().message;
    EXPECT_EQ(validate(out->words).value_or(""), "");
    std::string all;
    for (const std::string& warning : out->warnings) all += warning + "\n";
    for (const char* rule : {"MatrixMulNV-10096", "MatrixMulNV-10097", "MatrixMulAddNV-10098"}) {
        EXPECT_NE(all.find(rule), std::string::npos) << rule << " in " << all;
    }
    EXPECT_EQ(all.find("LoadNV-10099"), std::string::npos) << all;
}

// Words of memory are added to atomically.
TEST(AlignmentOfTraining, TakesWholeWords) {
    const std::string load =
        "%at = OpIAdd %uint %c12 %c0\n%x = OpCooperativeVectorLoadNV %vector %memory %at";
    const Result<Rewritten> word =
        run(module(load, "OpCooperativeVectorReduceSumAccumulateNV %memory %c4 %x"));
    ASSERT_TRUE(word) << word.error().message;
    EXPECT_EQ(validate(word->words).value_or(""), "");
    ASSERT_EQ(word->warnings.size(), 1u);
    EXPECT_NE(word->warnings[0].find("ReduceSumAccumulateNV-10100"), std::string::npos);
    const Result<Rewritten> half =
        run(module(load, "OpCooperativeVectorReduceSumAccumulateNV %memory %c6 %x"));
    ASSERT_FALSE(half);
    EXPECT_NE(half.error().message.find("ReduceSumAccumulateNV-10100"), std::string::npos);
}

}  // namespace
}  // namespace coopvk::rewrite::vector_alignment_test
