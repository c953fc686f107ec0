// SPDX-License-Identifier: Apache-2.0
//
// Structures and arrays of long vectors: in the variables of the module, and copied part by part.
// That the parts have the right values is what random programs and driver tests show.
#include <gtest/gtest.h>

#include <algorithm>
#include <format>

#include "assemble.hpp"
#include "coopvk/rewrite.hpp"
#include "edit.hpp"

namespace coopvk::rewrite::long_vector_structures_test {
namespace {

// `code` computes %result, a vector, from %p, a structure in a buffer: uint, vector, vector[2].
std::string moduleOf(uint32_t count, std::string_view code, std::string_view functions = {}) {
    return std::format(R"(
OpCapability Shader
OpCapability LongVectorEXT
OpExtension "SPV_EXT_long_vector"
%glsl = OpExtInstImport "GLSL.std.450"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %in %out
OpExecutionMode %main LocalSize 1 1 1
OpDecorate %two_in_memory ArrayStride {1}
OpDecorate %block Block
OpMemberDecorate %memory 0 Offset 0
OpMemberDecorate %memory 1 Offset 4
OpMemberDecorate %memory 2 Offset {2}
OpMemberDecorate %block 0 Offset 0
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
%memory_order = OpConstant %uint 72
%number = OpConstant %float 7
%count = OpConstant %uint {0}
%v = OpTypeVectorIdEXT %float %count
%two_in_memory = OpTypeArray %v %two
%memory = OpTypeStruct %uint %v %two_in_memory
%block = OpTypeStruct %memory
%array = OpTypeArray %v %two
%part = OpTypeStruct %uint %v %array
%both = OpTypeStruct %v %v
%null = OpConstantNull %part
%blockp = OpTypePointer StorageBuffer %block
%memoryp = OpTypePointer StorageBuffer %memory
%vp = OpTypePointer StorageBuffer %v
%local = OpTypePointer Function %part
%local_vector = OpTypePointer Function %v
%change = OpTypeFunction %part %part
%in = OpVariable %blockp StorageBuffer
%out = OpVariable %blockp StorageBuffer
%main = OpFunction %void None %procedure
%entry = OpLabel
%x = OpVariable %local Function
%p = OpAccessChain %memoryp %in %zero
%q = OpAccessChain %memoryp %out %zero
%to = OpAccessChain %vp %out %zero %one
{3}
OpStore %to %result
OpReturn
OpFunctionEnd
{4}
)",
                       count, 4 * count, 4 + 4 * count, code, functions);
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

size_t variables(const std::string& text) {
    return test::occurrences(text, "OpVariable %_ptr_Function__struct");
}

// A value, and the variables of structures that the function has: %x is one where it is read.
struct Case {
    const char* name;
    std::string code;
    size_t variables;
    std::string functions = {};
};

const Case kCases[] = {
    {"Load", "%s = OpLoad %memory %p\n%result = OpCompositeExtract %v %s 2 1", 0},
    {"LoadThenWrite",
     "%s = OpLoad %memory %p\nOpMemoryBarrier %one %memory_order\n"
     "%result = OpCompositeExtract %v %s 2 1",
     1},
    {"Copy", "%s = OpLoad %memory %p\nOpStore %q %s\n%result = OpCompositeExtract %v %s 1", 1},
    {"CopyMemory",
     "OpCopyMemory %q %p\n%a = OpLoad %memory %p\n"
     "%result = OpCompositeExtract %v %a 1",
     0},
    {"Store", "OpStore %x %null\n%s = OpLoad %part %x\n%result = OpCompositeExtract %v %s 1", 1},
    {"Insert",
     "%s = OpLoad %memory %p\n%t = OpCompositeInsert %memory %number %s 2 0 5\n"
     "%u = OpCompositeInsert %memory %number %t 1 6\n%result = OpCompositeExtract %v %u 2 0",
     1},
    {"Construct",
     "%s = OpLoad %memory %p\n%a = OpCompositeExtract %v %s 1\n"
     "%b = OpCompositeConstruct %array %a %a\n%t = OpCompositeConstruct %part %zero %a %b\n"
     "OpStore %x %t\n%result = OpCompositeExtract %v %t 2 1",
     2},
    {"Logical",
     "%s = OpLoad %memory %p\n%t = OpCopyLogical %part %s\nOpStore %x %t\n"
     "%result = OpCompositeExtract %v %t 2 1",
     1},
    {"Select",
     "%s = OpLoad %part %x\n%a = OpCompositeExtract %uint %s 0\n%c = OpIEqual %bool %a %nine\n"
     "%t = OpSelect %part %c %s %null\n%result = OpCompositeExtract %v %t 1",
     2},
    {"Loop",
     "%s = OpLoad %memory %p\n%first = OpCopyLogical %part %s\nOpBranch %header\n"
     "%header = OpLabel\n%i = OpPhi %uint %zero %entry %next %body\n"
     "%t = OpPhi %part %first %entry %u %body\n%c = OpULessThan %bool %i %nine\n"
     "OpLoopMerge %merge %body None\nOpBranchConditional %c %body %merge\n"
     "%body = OpLabel\n%next = OpIAdd %uint %i %one\n"
     "%a = OpCompositeExtract %v %t 2 1\n%u = OpCompositeInsert %part %a %t 1\n"
     "OpBranch %header\n%merge = OpLabel\n%result = OpCompositeExtract %v %t 1",
     2},
    {"Call",
     "%s = OpLoad %part %x\n%t = OpFunctionCall %part %f %s\n"
     "%result = OpCompositeExtract %v %t 1",
     3,
     "%f = OpFunction %part None %change\n%g = OpFunctionParameter %part\n%start = OpLabel\n"
     "%h = OpCompositeInsert %part %nine %g 0\nOpReturnValue %h\nOpFunctionEnd"},
    {"Pair",
     "%s = OpLoad %memory %p\n%a = OpCompositeExtract %v %s 1\n"
     "%m = OpExtInst %both %glsl ModfStruct %a\n%b = OpCompositeExtract %v %m 0\n"
     "%c = OpCompositeExtract %v %m 1\n%result = OpFAdd %v %b %c",
     0},
    {"PairAsValue",
     "%s = OpLoad %memory %p\n%a = OpCompositeExtract %v %s 1\n"
     "%m = OpExtInst %both %glsl ModfStruct %a\n%k = OpCopyObject %both %m\n"
     "%b = OpCompositeExtract %v %k 0\n%result = OpFAdd %v %b %b",
     1},
};

class LongVectorStructures : public testing::TestWithParam<Case> {};

TEST_P(LongVectorStructures, AreInVariables) {
    const Case& c = GetParam();
    const std::string some = textOf(moduleOf(17, c.code, c.functions));
    const std::string many = textOf(moduleOf(1024, c.code, c.functions));
    EXPECT_EQ(variables(many), c.variables) << many;
    // Loads are of scalars, also of the whole structure's first member.
    EXPECT_EQ(test::occurrences(many, "OpLoad %_struct"), 0u);
    EXPECT_EQ(test::occurrences(many, "OpLoad %_arr"), 0u);
    EXPECT_EQ(test::occurrences(many, "OpCompositeConstruct"), 0u);
    EXPECT_EQ(test::occurrences(some, "\n"), test::occurrences(many, "\n"))
        << "code does not grow with the number of components";
}

// A function's debug information names it, and is no call.
TEST(LongVectorStructuresInDebug, AreInVariables) {
    const Case& call = *std::ranges::find(kCases, std::string_view("Call"), &Case::name);
    const std::string text = textOf(test::edited(
        moduleOf(1024, call.code, call.functions),
        {{"OpExtension \"SPV_EXT_long_vector\"\n",
          "OpExtension \"SPV_EXT_long_vector\"\nOpExtension \"SPV_KHR_non_semantic_info\"\n"
          "%debug = OpExtInstImport \"NonSemantic.Shader.DebugInfo.100\"\n"},
         {"OpDecorate %two_in_memory", "%name = OpString \"f\"\nOpDecorate %two_in_memory"},
         {"%null = OpConstantNull %part\n",
          "%null = OpConstantNull %part\n%file = OpExtInst %void %debug DebugSource %name\n"
          "%unit = OpExtInst %void %debug DebugCompilationUnit %one %one %file %two\n"
          "%f_type = OpExtInst %void %debug DebugTypeFunction %zero %void\n"
          "%f_info = OpExtInst %void %debug DebugFunction %name %f_type %file %one %one %unit "
          "%name %zero %one\n"},
         {"%start = OpLabel\n",
          "%start = OpLabel\n%f_begin = OpExtInst %void %debug DebugFunctionDefinition %f_info "
          "%f\n"}}));
    EXPECT_EQ(variables(text), call.variables) << text;
    EXPECT_EQ(test::occurrences(text, "DebugFunctionDefinition"), 1u) << text;
}

INSTANTIATE_TEST_SUITE_P(, LongVectorStructures, testing::ValuesIn(kCases),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace coopvk::rewrite::long_vector_structures_test
