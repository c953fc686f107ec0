// SPDX-License-Identifier: Apache-2.0
//
// Which code may be executed once for each slice of its products: what comes out must be the same.
#include <gtest/gtest.h>

#include <format>

#include "assemble.hpp"
#include "matrix/slices/segments.hpp"

namespace coopvk::rewrite::repetition_test {
namespace {

// Code behind a barrier. Before it %early is a B, %x a word of a buffer, and %sum, %other
// (matrices) and %held (a word) have values.
std::string moduleOf(std::string_view code, std::string_view functions = "") {
    return std::format(R"(
OpCapability Shader
OpCapability Float16
OpCapability VulkanMemoryModel
OpCapability CooperativeMatrixKHR
OpExtension "SPV_KHR_cooperative_matrix"
OpMemoryModel Logical Vulkan
OpEntryPoint GLCompute %main "main" %in
OpExecutionMode %main LocalSize 32 1 1
OpDecorate %words ArrayStride 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %in DescriptorSet 0
OpDecorate %in Binding 0
%void = OpTypeVoid
%f = OpTypeFunction %void
%bool = OpTypeBool
%true = OpConstantTrue %bool
%u32 = OpTypeInt 32 0
%f16 = OpTypeFloat 16
%c0 = OpConstant %u32 0
%c1 = OpConstant %u32 1
%c2 = OpConstant %u32 2
%c3 = OpConstant %u32 3
%n = OpConstant %u32 16
%words = OpTypeRuntimeArray %u32
%block = OpTypeStruct %words
%to_block = OpTypePointer StorageBuffer %block
%to_word = OpTypePointer StorageBuffer %u32
%in = OpVariable %to_block StorageBuffer
%A = OpTypeCooperativeMatrixKHR %f16 %c3 %n %n %c0
%B = OpTypeCooperativeMatrixKHR %f16 %c3 %n %n %c1
%C = OpTypeCooperativeMatrixKHR %f16 %c3 %n %n %c2
%zero = OpConstantNull %C
%both = OpTypeArray %C %c2
%to_both = OpTypePointer Function %both
%to_C = OpTypePointer Function %C
%to_u32 = OpTypePointer Function %u32
%adds = OpTypeFunction %void %to_C
%main = OpFunction %void None %f
%start = OpLabel
%sum = OpVariable %to_C Function
%other = OpVariable %to_C Function
%sums = OpVariable %to_both Function
%i = OpVariable %to_u32 Function
%held = OpVariable %to_u32 Function
%p = OpAccessChain %to_word %in %c0 %c0
%x = OpLoad %u32 %p
%early = OpCooperativeMatrixLoadKHR %B %p %c0 %n
OpStore %sum %zero
OpStore %other %zero
OpStore %held %c0
OpControlBarrier %c2 %c2 %c0
OpBranch %code
%code = OpLabel
{}OpBranch %last
%last = OpLabel
OpControlBarrier %c2 %c2 %c0
OpReturn
OpFunctionEnd
{})",
                       code, functions);
}

// The largest segment of the entry point.
bool mayRepeat(const std::string& text) {
    const std::vector<uint32_t> words = test::assemble(text);
    EXPECT_EQ(validate(words), std::nullopt) << text;
    const Result<Module> module = Module::parse(words);
    if (!module) return false;
    std::set<Id> sliced;
    for (const InstructionPtr& i : module->section(Section::kGlobals))
        if (i->opcode == spv::Op::OpTypeCooperativeMatrixKHR &&
            *module->constantValue(i->word(4)) < 2)
            sliced.insert(i->result);
    const FunctionFacts facts(*module);
    const Function& function = *module->functions().front();
    const std::vector<Segment> segments = findSegments(facts, function);
    return !segments.empty() &&
           executedInSlices(*module, facts, sliced, function, segments.back()).has_value();
}

const std::string kLoads =
    "%a = OpCooperativeMatrixLoadKHR %A %p %c0 %n\n%b = OpCooperativeMatrixLoadKHR %B %p %c0 %n\n";
const std::string kAdd =
    "%s = OpLoad %C %sum\n%r = OpCooperativeMatrixMulAddKHR %C %a %b %s\nOpStore %sum %r\n";

// Twice, if the condition does not say otherwise.
std::string loop(const std::string& body,
                 const std::string& condition = "OpULessThan %bool %now %c2",
                 const std::string& step = "%c1") {
    return "OpStore %i %c0\nOpBranch %head\n%head = OpLabel\nOpLoopMerge %end %next None\n"
           "OpBranch %test\n%test = OpLabel\n%now = OpLoad %u32 %i\n%more = " +
           condition + "\nOpBranchConditional %more %body %end\n%body = OpLabel\n" + body +
           "OpBranch %next\n%next = OpLabel\n%later = OpIAdd %u32 %now " + step +
           "\nOpStore %i %later\nOpBranch %head\n%end = OpLabel\n";
}
std::string loopOfPhi(const std::string& body) {
    return "OpBranch %head\n%head = OpLabel\n%now = OpPhi %u32 %c0 %then %later %next\n"
           "OpLoopMerge %end %next None\nOpBranch %test\n%test = OpLabel\n"
           "%more = OpULessThan %bool %now %c2\nOpBranchConditional %more %body %end\n"
           "%body = OpLabel\n" +
           body +
           "OpBranch %next\n%next = OpLabel\n%later = OpIAdd %u32 %now %c1\nOpBranch %head\n"
           "%end = OpLabel\n";
}
std::string selection(const std::string& condition, const std::string& body) {
    return "%chosen = " + condition +
           "\nOpSelectionMerge %joined None\nOpBranchConditional %chosen %then %joined\n"
           "%then = OpLabel\n" +
           body + "OpBranch %joined\n%joined = OpLabel\n";
}
std::string replaced(std::string text, std::string_view from, std::string_view to) {
    return text.replace(text.find(from), from.size(), to);
}

struct Case {
    const char* name;
    std::string code;
    bool repeats;
    std::string functions = "";
};
const Case kCases[] = {
    {"Straight", kLoads + kAdd, true},
    {"Loop", loop(kLoads + kAdd), true},
    {"LoopOfPhi", selection("OpIEqual %bool %c2 %c2", loopOfPhi(kLoads + kAdd)), true},
    {"LoadsBeforeTheLoop", kLoads + loop(kAdd), true},
    {"LoopOfAnyLength", loop(kLoads + kAdd, "OpULessThan %bool %now %x"), false},
    {"LoopOfAnySteps", loop(kLoads + kAdd, "OpULessThan %bool %now %c2", "%x"), false},
    {"EndlessLoop", loop(kLoads + kAdd, "OpULessThan %bool %now %c2", "%c0"), false},
    {"ConditionOfConstants", selection("OpIEqual %bool %c2 %c2", kLoads + kAdd), true},
    {"ConditionOfCounter", loop(kLoads + selection("OpIEqual %bool %now %c1", kAdd)), true},
    {"AnyCondition", selection("OpIEqual %bool %x %c2", kLoads + kAdd), false},
    {"FactorFromBefore", replaced(kLoads + kAdd, "%a %b", "%a %early"), false},
    {"AddendOfAnotherVariable", kLoads + replaced(kAdd, "OpLoad %C %sum", "OpLoad %C %other"),
     false},
    {"AddendThatIsConstant", kLoads + replaced(kAdd, "%b %s", "%b %zero"), false},
    {"SumIsOverwritten",
     kLoads + kAdd + "%r2 = OpCooperativeMatrixMulAddKHR %C %a %b %s\nOpStore %sum %r2\n", false},
    {"SumOfTwoProducts",
     kLoads + kAdd +
         "%s2 = OpLoad %C %sum\n%r2 = OpCooperativeMatrixMulAddKHR %C %a %b %s2\nOpStore %sum "
         "%r2\n",
     true},
    {"SumIsRead",
     kLoads + kAdd + "%s2 = OpLoad %C %sum\n%t = OpFAdd %C %s2 %s2\n" +
         "OpStore %other %t\n%s3 = OpLoad %C %sum\n"
         "%r2 = OpCooperativeMatrixMulAddKHR %C %a %b %s3\nOpStore %sum %r2\n",
     false},
    {"WordIsChanged",
     "%old = OpLoad %u32 %held\n%new = OpIAdd %u32 %old %c1\nOpStore %held %new\n" + kLoads + kAdd,
     false},
    {"WordIsStoredAgain",
     "OpStore %held %c2\n%old = OpLoad %u32 %held\n%new = OpIAdd %u32 %old %c1\n"
     "OpStore %held %new\n" +
         kLoads + kAdd,
     true},
    {"ElementOfArray",
     kLoads + "%e = OpAccessChain %to_C %sums %c1\n" +
         replaced(replaced(kAdd, "OpLoad %C %sum", "OpLoad %C %e"), "OpStore %sum", "OpStore %e"),
     true},
    {"AnyElementOfArray",
     kLoads + "%e = OpAccessChain %to_C %sums %x\n" +
         replaced(replaced(kAdd, "OpLoad %C %sum", "OpLoad %C %e"), "OpStore %sum", "OpStore %e"),
     false},
    {"ElementsThatAlternate",
     loop(kLoads + "%e = OpAccessChain %to_C %sums %now\n" +
          replaced(replaced(kAdd, "OpLoad %C %sum", "OpLoad %C %e"), "OpStore %sum", "OpStore %e")),
     true},
    {"Call", std::string("%called = OpFunctionCall %void %function %sum\n"), true,
     "%function = OpFunction %void None %adds\n%to = OpFunctionParameter %to_C\n%first = OpLabel\n"
     "%q = OpAccessChain %to_word %in %c0 %c0\n" +
         replaced(replaced(replaced(replaced(kLoads + kAdd, "%A %p", "%A %q"), "%B %p", "%B %q"),
                           "OpLoad %C %sum", "OpLoad %C %to"),
                  "OpStore %sum", "OpStore %to") +
         "OpReturn\nOpFunctionEnd\n"},
};

class Repetition : public testing::TestWithParam<Case> {};

TEST_P(Repetition, IsWhatChangesNothing) {
    const Case& c = GetParam();
    EXPECT_EQ(mayRepeat(moduleOf(c.code, c.functions)), c.repeats);
}

INSTANTIATE_TEST_SUITE_P(Slices, Repetition, testing::ValuesIn(kCases),
                         [](const auto& given) { return given.param.name; });

}  // namespace
}  // namespace coopvk::rewrite::repetition_test
