// SPDX-License-Identifier: Apache-2.0
//
// The variables in which long vectors are, and the loops that copy between them. That values do not
// overwrite each other is what random programs test (tests/programs).
#include <gtest/gtest.h>

#include <format>

#include "assemble.hpp"
#include "coopvk/rewrite.hpp"
#include "edit.hpp"

namespace coopvk::rewrite::long_vector_storage_test {
namespace {

// `code` computes %result from the vectors %a and %b, of `count` components.
std::string moduleOf(uint32_t count, std::string_view code, std::string_view functions = {}) {
    return std::format(R"(
OpCapability Shader
OpCapability LongVectorEXT
OpExtension "SPV_EXT_long_vector"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %in %out
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpMemberDecorate %block 1 Offset {1}
OpMemberDecorate %block 2 Offset {2}
OpDecorate %in DescriptorSet 0
OpDecorate %in Binding 0
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 1
%void = OpTypeVoid
%procedure = OpTypeFunction %void
%bool = OpTypeBool
%float = OpTypeFloat 32
%uint = OpTypeInt 32 0
%zero = OpConstant %uint 0
%one = OpConstant %uint 1
%two = OpConstant %uint 2
%nine = OpConstant %uint 9
%count = OpConstant %uint {0}
%v = OpTypeVectorIdEXT %float %count
%block = OpTypeStruct %v %v %uint
%blockp = OpTypePointer StorageBuffer %block
%vp = OpTypePointer StorageBuffer %v
%up = OpTypePointer StorageBuffer %uint
%fp = OpTypePointer StorageBuffer %float
%local = OpTypePointer Function %v
%part = OpTypePointer Function %float
%unary = OpTypeFunction %v %v
%inplace = OpTypeFunction %void %local
%in = OpVariable %blockp StorageBuffer
%out = OpVariable %blockp StorageBuffer
%main = OpFunction %void None %procedure
%entry = OpLabel
%x = OpVariable %local Function
%y = OpVariable %local Function
%from_a = OpAccessChain %vp %in %zero
%from_b = OpAccessChain %vp %in %one
%number = OpAccessChain %up %in %two
%to = OpAccessChain %vp %out %zero
%to_b = OpAccessChain %vp %out %one
%a = OpLoad %v %from_a
%b = OpLoad %v %from_b
{3}
OpStore %to %result
OpReturn
OpFunctionEnd
{4}
)",
                       count, 4 * count, 8 * count, code, functions);
}

std::string textOf(const std::string& source) {
    const std::vector<uint32_t> words = test::assemble(source);
    EXPECT_EQ(validate(words), std::nullopt);
    Request request;
    request.words = words;
    const Result<Rewritten> out = rewrite(request, Target{});
    if (!out) {
        ADD_FAILURE() << out.error().message;
        return {};
    }
    EXPECT_EQ(validate(out->words), std::nullopt);
    return disassemble(out->words);
}

size_t loops(const std::string& text) { return test::occurrences(text, "OpLoopMerge"); }
size_t keptLoops(const std::string& text) { return test::occurrences(text, " DontUnroll"); }
size_t variables(const std::string& text) {
    return test::occurrences(text, "OpVariable %_ptr_Function__arr_float");
}

// Each control barrier ends a group of instructions, so that values must be in variables.
constexpr std::string_view kBarrier = "OpControlBarrier %two %two %zero\n";

TEST(LongVectorStorage, ValuesThatAreNotNeededLeaveTheirVariables) {
    std::string code = "%s0 = OpFAdd %v %a %b\n";
    for (int n = 1; n < 9; ++n) {
        code += kBarrier;
        code += std::format("%s{} = OpFMul %v %s{} %s{}\n", n, n - 1, n - 1);
    }
    code += std::format("{}%result = OpCopyObject %v %s8\n", kBarrier);
    EXPECT_EQ(variables(textOf(moduleOf(64, code))), 2u)
        << "what a group reads, and what it makes; nothing uses x and y";
}

TEST(LongVectorStorage, ValuesThatOtherPathsNeedStayInTheirVariables) {
    const std::string code = std::format(R"(
%n = OpLoad %uint %number
%many = OpUGreaterThan %bool %n %nine
%s = OpFAdd %v %a %b
{0}OpSelectionMerge %merge None
OpBranchConditional %many %yes %no
%yes = OpLabel
%t = OpFMul %v %a %a
{0}OpStore %to_b %t
OpBranch %merge
%no = OpLabel
OpStore %to_b %s
OpBranch %merge
%merge = OpLabel
%result = OpPhi %v %b %yes %s %no
)",
                                         kBarrier);
    EXPECT_EQ(variables(textOf(moduleOf(64, code))), 4u)
        << "a, b and s; t in that of s, which its path does not need; the phi";
}

TEST(LongVectorStorage, LoadsFromVariablesAreNotCopied) {
    const std::string code = std::format(
        "OpStore %x %a\n%l = OpLoad %v %x\n{}"
        "%result = OpFAdd %v %l %l\n",
        kBarrier);
    const std::string text = textOf(moduleOf(64, code));
    EXPECT_EQ(loops(text), 2u) << "from the buffer, and to it";
    EXPECT_EQ(variables(text), 1u) << "x";
}

TEST(LongVectorStorage, OnlyLoopsOverFewComponentsMayBeUnrolled) {
    const char* code = "%result = OpFAdd %v %a %b\n";
    EXPECT_EQ(keptLoops(textOf(moduleOf(64, code))), 0u);
    const std::string text = textOf(moduleOf(65, code));
    EXPECT_GT(loops(text), 0u);
    EXPECT_EQ(keptLoops(text), loops(text));
}

TEST(LongVectorStorage, LoadsAreCopiedBeforeTheVariableChanges) {
    const std::string code = std::format(
        "OpStore %x %a\n%l = OpLoad %v %x\n{0}OpStore %x %b\n{0}"
        "%m = OpLoad %v %x\n%result = OpFAdd %v %l %m\n",
        kBarrier);
    const std::string text = textOf(moduleOf(64, code));
    EXPECT_EQ(loops(text), 4u) << "to x with b aside, the copy of l, to x, and the sum";
}

// More values at a time than are looked at one by one: those that free a variable last are found.
TEST(LongVectorStorage, ManyVariablesAreUsedAgain) {
    constexpr int kValues = 70;
    const auto sums = [](char name, std::string_view of) {
        std::string code;
        for (int n = 0; n < kValues; ++n) {
            code += std::format("%{0}{1} = OpFAdd %v {2} {2}\n", name, n, of);
            if (n % 8 == 7) code += kBarrier;
        }
        return code;
    };
    const auto stores = [](char name, int first, int end) {
        std::string code;
        for (int n = first; n < end; ++n)
            code += std::format("OpStore %to_b %{}{}\n{}", name, n, kBarrier);
        return code;
    };
    const std::string code = sums('s', "%a") + stores('s', kValues - 4, kValues) + sums('t', "%b") +
                             stores('s', 0, kValues - 4) + stores('t', 0, kValues) +
                             "%result = OpCopyObject %v %b\n";
    EXPECT_EQ(variables(textOf(moduleOf(64, code))), 2u + 2 * kValues - 5)
        << "b, sums of which four free theirs, a's";
}

// As compilers write arguments that a function may change.
TEST(LongVectorStorage, VariablesOfArgumentsShareOne) {
    const char* code =
        "OpStore %x %a\n%once = OpFunctionCall %void %f %x\n%l = OpLoad %v %x\nOpStore %to_b %l\n"
        "OpStore %y %a\n%again = OpFunctionCall %void %f %y\n%result = OpLoad %v %y\n";
    const char* function =
        "%f = OpFunction %void None %inplace\n%p = OpFunctionParameter %local\n%begin = OpLabel\n"
        "%c = OpAccessChain %part %p %one\n%old = OpLoad %float %c\n%new = OpFAdd %float %old "
        "%old\n"
        "OpStore %c %new\nOpReturn\nOpFunctionEnd\n";
    EXPECT_EQ(variables(textOf(moduleOf(64, code, function))), 2u) << "a, and one for x and y";
}

TEST(LongVectorStorage, ResultsAreMadeWhereTheCallerNeedsThem) {
    const char* code = "%result = OpFunctionCall %v %f %a\n";
    const char* function =
        "%f = OpFunction %v None %unary\n%p = OpFunctionParameter %v\n%begin = OpLabel\n"
        "%sum = OpFAdd %v %p %p\nOpReturnValue %sum\nOpFunctionEnd\n";
    const std::string text = textOf(moduleOf(64, code, function));
    EXPECT_EQ(loops(text), 3u) << "a, the sum, and the store";
}

TEST(LongVectorStorage, FunctionsReturnWhatTheyDeclare) {
    const std::vector<uint32_t> words = test::assemble(
        moduleOf(64, "%called = OpFunctionCall %float %f %a\n%result = OpFAdd %v %a %a\n",
                 "%f = OpFunction %float None %unary\n%p = OpFunctionParameter %v\n"
                 "%begin = OpLabel\n%sum = OpFAdd %v %p %p\nOpReturnValue %sum\nOpFunctionEnd\n"));
    Request request;
    request.words = words;
    const Result<Rewritten> out = rewrite(request, Target{});
    ASSERT_FALSE(out);
    EXPECT_EQ(out.error().code, ErrorCode::kInvalidModule);
}

// sum += a, ten times: a phi whose former value nothing needs is not copied.
TEST(LongVectorStorage, PhisOfSumsHaveOneVariable) {
    const std::string code = R"(
OpBranch %header
%header = OpLabel
%i = OpPhi %uint %zero %entry %next %latch
%sum = OpPhi %v %b %entry %more %latch
%goes = OpULessThan %bool %i %nine
OpLoopMerge %merge %latch None
OpBranchConditional %goes %latch %merge
%latch = OpLabel
%next = OpIAdd %uint %i %one
%more = OpFAdd %v %sum %a
OpBranch %header
%merge = OpLabel
%result = OpCopyObject %v %sum
)";
    const std::string text = textOf(moduleOf(64, code));
    EXPECT_EQ(variables(text), 3u) << "a, b and more, and sum";
    EXPECT_EQ(loops(text), 6u) << "the loop, a and b, two copies to sum, more, the result";
    const std::string ofZeros = textOf(test::edited(
        moduleOf(64, code), {{"%in = OpVariable", "%n = OpConstantNull %v\n%in = OpVariable"},
                             {"OpPhi %v %b", "OpPhi %v %n"}}));
    EXPECT_EQ(variables(ofZeros), 3u) << "a, sum, more";
}

// Pointers to vectors that no chain gives, but a selection between two.
TEST(LongVectorStorage, PointersMayBeSelected) {
    const std::string text = textOf(test::edited(
        moduleOf(64,
                 "%n = OpLoad %uint %number\n%isOne = OpIEqual %bool %n %one\n"
                 "%from = OpSelect %vp %isOne %from_a %from_b\n%result = OpLoad %v %from\n"),
        {{"OpCapability Shader",
          "OpCapability Shader\nOpCapability VariablePointersStorageBuffer"}}));
    EXPECT_EQ(test::occurrences(text, "OpSelect %_ptr_StorageBuffer"), 1u) << text;
}

// Types of pointers into shared memory do not say whether it has a layout: a block has one.
TEST(LongVectorStorage, SharedBlocksHaveALayout) {
    const std::string text = textOf(test::edited(
        moduleOf(64,
                 "%at = OpAccessChain %svp %shared %one\nOpStore %at %a\n"
                 "%result = OpLoad %v %at\n"),
        {{"OpCapability Shader",
          "OpCapability Shader\nOpCapability WorkgroupMemoryExplicitLayoutKHR"},
         {"OpExtension", "OpExtension \"SPV_KHR_workgroup_memory_explicit_layout\"\nOpExtension"},
         {"%in %out", "%in %out %shared"},
         {"%in = OpVariable",
          "%svp = OpTypePointer Workgroup %v\n%sharedp = OpTypePointer Workgroup %block\n"
          "%shared = OpVariable %sharedp Workgroup\n%in = OpVariable"}}));
    EXPECT_NE(text.find("OpVariable %_ptr_Workgroup__struct"), text.npos);
}

// As glslang writes a vector of one scalar.
std::string splat(uint32_t count) {
    std::string line = "%splat = OpCompositeConstruct %v";
    for (uint32_t c = 0; c < count; ++c) line += " %n";
    return line + "\n";
}

// Beyond sixteen components only constants differ.
TEST(LongVectorStorage, CodeDoesNotGrowWithTheCount) {
    const std::string code = std::format(
        "%s = OpFAdd %v %a %splat\n{0}%i = OpVectorInsertDynamic %v %s %n %one\n"
        "%d = OpDot %float %i %s\n%t = OpVectorTimesScalar %v %i %d\n{0}OpStore %x %t\n"
        "%l = OpLoad %v %x\n%e = OpVectorExtractDynamic %float %l %two\n"
        "%result = OpVectorInsertDynamic %v %l %e %zero\n",
        kBarrier);
    const auto sizeAt = [&](uint32_t count) {
        const std::string number = "%n = OpVectorExtractDynamic %float %a %two\n";
        const std::vector<uint32_t> words =
            test::assemble(moduleOf(count, number + splat(count) + code));
        Request request;
        request.words = words;
        const Result<Rewritten> out = rewrite(request, Target{});
        return out ? out->words.size() : 0;
    };
    EXPECT_NE(sizeAt(17), 0u);
    EXPECT_EQ(sizeAt(17), sizeAt(64));
    EXPECT_EQ(sizeAt(17), sizeAt(1024));
}

}  // namespace
}  // namespace coopvk::rewrite::long_vector_storage_test
