// SPDX-License-Identifier: Apache-2.0
//
// Emulated long vectors: what they become. Results are tested on drivers (tests/driver).
#include <gtest/gtest.h>

#include <format>

#include "assemble.hpp"
#include "coopvk/rewrite.hpp"
#include "edit.hpp"

namespace coopvk::rewrite::long_vector_lowering_test {
namespace {

// b = a * a + c, of `count` components, in a shader without optimisations; `code` comes last.
std::string moduleOf(uint32_t count, std::string_view globals = {}, std::string_view code = {}) {
    return std::format(R"(
OpCapability Shader
OpCapability LongVectorEXT
OpExtension "SPV_EXT_long_vector"
%glsl = OpExtInstImport "GLSL.std.450"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %in %out
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 4
OpDecorate %in DescriptorSet 0
OpDecorate %in Binding 0
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 1
%void = OpTypeVoid
%function = OpTypeFunction %void
%float = OpTypeFloat 32
%uint = OpTypeInt 32 0
%zero = OpConstant %uint 0
%one = OpConstant %uint 1
%count = OpConstant %uint {}
%v = OpTypeVectorIdEXT %float %count
%block = OpTypeStruct %v
%blockp = OpTypePointer StorageBuffer %block
%vp = OpTypePointer StorageBuffer %v
%local = OpTypePointer Function %v
%in = OpVariable %blockp StorageBuffer
%out = OpVariable %blockp StorageBuffer
%null = OpConstantNull %v
{}
%main = OpFunction %void None %function
%entry = OpLabel
%var = OpVariable %local Function
%from = OpAccessChain %vp %in %zero
%a = OpLoad %v %from
%square = OpFMul %v %a %a
%sum = OpFAdd %v %square %a
OpStore %var %sum
%again = OpLoad %v %var
{}
%to = OpAccessChain %vp %out %zero
OpStore %to %again
OpReturn
OpFunctionEnd
)",
                       count, globals, code);
}

Result<Rewritten> run(const std::string& source) {
    const std::vector<uint32_t> words = test::assemble(source);
    EXPECT_EQ(validate(words), std::nullopt);
    Request request;
    request.words = words;
    return rewrite(request, Target{});
}

std::string textOf(const std::string& source) {
    const Result<Rewritten> out = run(source);
    if (!out) {
        ADD_FAILURE() << out.error().message;
        return {};
    }
    EXPECT_EQ(validate(out->words), std::nullopt);
    const std::string text = disassemble(out->words);
    EXPECT_EQ(test::occurrences(text, "LongVectorEXT"), 0u);
    EXPECT_EQ(test::occurrences(text, "SPV_EXT_long_vector"), 0u);
    return text;
}

TEST(LongVectorLowering, ComponentsLieWithoutGapsInMemory) {
    const std::string text = textOf(moduleOf(8));
    EXPECT_NE(text.find("ArrayStride 4"), text.npos);
    EXPECT_EQ(test::occurrences(text, "OpTypeArray"), 1u) << "in memory; the rest are values";
}

TEST(LongVectorLowering, CodeDoesNotGrowBeyondSixteenComponents) {
    const Result<Rewritten> some = run(moduleOf(17)), many = run(moduleOf(1024));
    ASSERT_TRUE(some && many);
    EXPECT_EQ(some->words.size(), many->words.size());
    EXPECT_EQ(test::occurrences(disassemble(many->words), "OpFMul"), 1u);
}

TEST(LongVectorLowering, ConsecutiveInstructionsShareALoop) {
    const std::string text = textOf(moduleOf(64));
    EXPECT_EQ(test::occurrences(text, "OpLoopMerge"), 2u) << "to the variable, and from it";
    EXPECT_EQ(test::occurrences(text, "= OpVariable"), 3u) << "the module's own ones";
}

// An invocation must not read what the loop has just stored at another component.
TEST(LongVectorLowering, StoresThatMayOverlapLoadsWait) {
    const std::string direct = test::edited(
        moduleOf(64), {{"OpStore %var %sum\n%again = OpLoad %v %var", ""}, {"%again\n", "%sum\n"}});
    EXPECT_EQ(test::occurrences(textOf(direct), "OpLoopMerge"), 2u) << "two buffers may be one";
}

TEST(LongVectorLowering, ShortVectorsBecomeThoseOfCore) {
    const std::string text = textOf(moduleOf(3, "%three = OpTypeVector %float 3"));
    EXPECT_EQ(test::occurrences(text, "OpTypeVector %float 3"), 1u);
    EXPECT_EQ(test::occurrences(text, "OpFMul"), 1u);
}

TEST(LongVectorLowering, OneReadComponentIsComputedAlone) {
    const std::string text = textOf(test::edited(
        moduleOf(64, "%fp = OpTypePointer StorageBuffer %float"),
        {{"%var = OpVariable %local Function\n", ""},
         {"OpStore %var %sum\n%again = OpLoad %v %var",
          "%part = OpCompositeExtract %float %sum 5\n%at = OpAccessChain %fp %out %zero %one\n"
          "OpStore %at %part"},
         {"%to = OpAccessChain %vp %out %zero\nOpStore %to %again\n", ""}}));
    EXPECT_EQ(test::occurrences(text, "OpLoopMerge"), 0u);
    EXPECT_EQ(test::occurrences(text, "OpFMul"), 1u);
}

TEST(LongVectorLowering, RefusesIndicesBeyondTheCount) {
    for (const std::string_view code : {"%part = OpCompositeExtract %float %again 9",
                                        "%changed = OpCompositeInsert %v %number %again 9",
                                        "%mixed = OpVectorShuffle %four %again %again 0 1 2 19"}) {
        const std::vector<uint32_t> words = test::assemble(
            moduleOf(8, "%number = OpConstant %float 1\n%four = OpTypeVector %float 4", code));
        Request request;
        request.words = words;
        const Result<Rewritten> out = rewrite(request, Target{});
        ASSERT_FALSE(out) << code;
        EXPECT_EQ(out.error().code, ErrorCode::kInvalidModule) << code;
    }
}

// SPIR-V, GLSL.std.450: eta is a scalar of 16 or 32 bits.
TEST(LongVectorLowering, RefractTakesANarrowerEta) {
    const std::string source = test::edited(
        moduleOf(8, "%eta = OpConstant %float 0.5",
                 "%bent = OpExtInst %v %glsl Refract %again %again %eta\nOpStore %at %bent"),
        {{"%var = OpVariable %local Function",
          "%var = OpVariable %local Function\n%at = OpAccessChain %vp %out %zero"},
         {"OpCapability Shader", "OpCapability Shader\nOpCapability Float64"},
         {"Offset 4", "Offset 8"},
         {"%uint =", "%double = OpTypeFloat 64\n%uint ="},
         {"OpTypeVectorIdEXT %float", "OpTypeVectorIdEXT %double"}});
    EXPECT_EQ(test::occurrences(textOf(source), "Sqrt"), 1u);
}

// bfloat16 has OpDot, but neither products nor sums (SPV_KHR_bfloat16).
TEST(LongVectorLowering, DotsOfBfloat16AreComputedInSingles) {
    for (const uint32_t count : {8, 64}) {
        const std::string source = test::edited(
            moduleOf(count,
                     "%bfloat = OpTypeFloat 16 BFloat16KHR\n"
                     "%short = OpTypeVectorIdEXT %bfloat %count",
                     "%narrow = OpFConvert %short %again\n"
                     "%dot = OpDot %bfloat %narrow %narrow\n%wide = OpFConvert %float %dot\n"
                     "%some = OpCompositeInsert %v %wide %again 0\nOpStore %var %some"),
            {{"OpCapability Shader",
              "OpCapability Shader\nOpCapability BFloat16TypeKHR\n"
              "OpCapability BFloat16DotProductKHR"},
             {"OpExtension", "OpExtension \"SPV_KHR_bfloat16\"\nOpExtension"}});
        EXPECT_EQ(test::occurrences(textOf(source), "OpDot"), 0u);
    }
}

// Vulkan gives malformed modules no meaning, but rewriting must not read past its own data.
TEST(LongVectorLowering, RefusesPartsThatAreNone) {
    for (const std::string_view code :
         {"%pair = OpIAddCarry %two %again %again\n%part = OpCompositeExtract %v %pair 5",
          "%pair = OpCompositeConstruct %two %again %again\n%part = OpCompositeExtract %v %pair 5",
          "%part = OpCompositeExtract %v %none 5", "%part = OpCompositeExtract %float %again 5 3",
          "%part = OpCompositeConstruct %v"}) {
        const std::string source =
            moduleOf(32, "%two = OpTypeStruct %v %v\n%none = OpConstantNull %two", code);
        Request request;
        const std::vector<uint32_t> words = test::assemble(source);
        request.words = words;
        const Result<Rewritten> out = rewrite(request, Target{});
        ASSERT_FALSE(out) << code;
        EXPECT_EQ(out.error().code, ErrorCode::kInvalidModule) << code;
    }
}

TEST(LongVectorLowering, RefusesACountThatIsTooLarge) {
    const std::vector<uint32_t> words = test::assemble(moduleOf(16385));
    Request request;
    request.words = words;
    const Result<Rewritten> out = rewrite(request, Target{});
    ASSERT_FALSE(out);
    EXPECT_EQ(out.error().code, ErrorCode::kUnsupported);
}

}  // namespace
}  // namespace coopvk::rewrite::long_vector_lowering_test
