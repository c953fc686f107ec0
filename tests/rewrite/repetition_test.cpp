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
OpCapability Int64
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
%u64 = OpTypeInt 64 0
%i32 = OpTypeInt 32 1
%f16 = OpTypeFloat 16
%c0 = OpConstant %u32 0
%c1 = OpConstant %u32 1
%c2 = OpConstant %u32 2
%c3 = OpConstant %u32 3
%n = OpConstant %u32 16
%one = OpConstant %f16 1
%words = OpTypeRuntimeArray %u32
%block = OpTypeStruct %words
%to_block = OpTypePointer StorageBuffer %block
%to_word = OpTypePointer StorageBuffer %u32
%in = OpVariable %to_block StorageBuffer
%A = OpTypeCooperativeMatrixKHR %f16 %c3 %n %n %c0
%B = OpTypeCooperativeMatrixKHR %f16 %c3 %n %n %c1
%C = OpTypeCooperativeMatrixKHR %f16 %c3 %n %n %c2
%zero = OpConstantNull %C
%zero_A = OpConstantNull %A
%minus_1 = OpConstant %i32 -1
%words_2 = OpTypeArray %u32 %c2
%two_words = OpConstantNull %words_2
%to_pair = OpTypePointer Function %words_2
%to_half = OpTypePointer Function %f16
%both = OpTypeArray %C %c2
%to_both = OpTypePointer Function %both
%to_C = OpTypePointer Function %C
%to_u32 = OpTypePointer Function %u32
%two_sums = OpConstantNull %both
%adds = OpTypeFunction %void %to_C
%gives = OpTypeFunction %u32
%main = OpFunction %void None %f
%start = OpLabel
%sum = OpVariable %to_C Function
%other = OpVariable %to_C Function
%sums = OpVariable %to_both Function
%i = OpVariable %to_u32 Function
%held = OpVariable %to_u32 Function
%pair = OpVariable %to_pair Function
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
// The opposite order of the condition's targets.
std::string loopUntil(const std::string& body) {
    const std::string_view from = "%more %body %end";
    std::string text = loop(body, "OpUGreaterThanEqual %bool %now %c2");
    return text.replace(text.find(from), from.size(), "%more %end %body");
}
// Whose header has the condition.
std::string loopOfTwoBlocks(const std::string& body) {
    return "OpStore %i %c0\nOpBranch %head\n%head = OpLabel\n%now = OpLoad %u32 %i\n"
           "%more = OpULessThan %bool %now %c2\nOpLoopMerge %end %next None\n"
           "OpBranchConditional %more %body %end\n%body = OpLabel\n" +
           body +
           "OpBranch %next\n%next = OpLabel\n%later = OpIAdd %u32 %now %c1\nOpStore %i %later\n"
           "OpBranch %head\n%end = OpLabel\n";
}
std::string replaced(std::string text, std::string_view from, std::string_view to) {
    return text.replace(text.find(from), from.size(), to);
}

const std::string kBarrier = "OpControlBarrier %c2 %c2 %c0\n";
const std::string kAddAgain =
    "%s2 = OpLoad %C %sum\n%r2 = OpCooperativeMatrixMulAddKHR %C %a %b %s2\nOpStore %sum %r2\n";
std::string addTo(const std::string& pointer) {
    return replaced(replaced(kAdd, "OpLoad %C %sum", "OpLoad %C " + pointer), "OpStore %sum",
                    "OpStore " + pointer);
}
// A function that adds a product to what it has a pointer to, and one that returns a word.
std::string adding(const std::string& before = "") {
    return "%function = OpFunction %void None %adds\n%to = OpFunctionParameter %to_C\n"
           "%first = OpLabel\n%own = OpVariable %to_u32 Function\n"
           "%q = OpAccessChain %to_word %in %c0 %c0\n" +
           before + replaced(replaced(kLoads, "%A %p", "%A %q"), "%B %p", "%B %q") + addTo("%to") +
           "OpReturn\nOpFunctionEnd\n";
}
std::string giving(const std::string& word) {
    return "%give = OpFunction %u32 None %gives\n%given = OpLabel\n"
           "%q = OpAccessChain %to_word %in %c0 %c0\n%any = OpLoad %u32 %q\nOpReturnValue " +
           word + "\nOpFunctionEnd\n";
}
const std::string kCall = "%called = OpFunctionCall %void %function %sum\n";

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
    {"Call", kCall, true, adding()},
    {"CallOfItsOwnVariable", kCall, true,
     adding("OpStore %own %c2\n%mine = OpLoad %u32 %own\nOpStore %own %mine\n")},
    {"CallTwice", kCall + replaced(kCall, "%called", "%again"), true,
     adding("OpStore %own %c2\n%mine = OpLoad %u32 %own\nOpStore %own %mine\n")},
    {"CallThatCountsInAVariable", kCall, false,
     adding("%mine = OpLoad %u32 %own\nOpStore %own %mine\n")},
    {"CallOfAnyCondition", kCall, false,
     adding("%w = OpLoad %u32 %q\n" + selection("OpIEqual %bool %w %c2", "OpStore %own %c1\n"))},
    {"CallThatInitializes", kCall, false,
     replaced(adding(), "%to_u32 Function\n", "%to_u32 Function %c1\n")},
    {"ConditionOfACall",
     "%g = OpFunctionCall %u32 %give\n" + selection("OpIEqual %bool %g %c2", kLoads + kAdd), true,
     giving("%c2")},
    {"AnyConditionOfACall",
     "%g = OpFunctionCall %u32 %give\n" + selection("OpIEqual %bool %g %c2", kLoads + kAdd), false,
     giving("%any")},
    {"ConditionThatIsConstant", selection("OpCopyObject %bool %true", kLoads + kAdd), true},
    {"ConditionOfACopy",
     "%copy = OpBitcast %i32 %c2\n" + selection("OpIEqual %bool %copy %c2", kLoads + kAdd), true},
    {"ConditionOfTwoChoices",
     "%two = OpSelect %u32 %true %c2 %x\n" + selection("OpIEqual %bool %two %c2", kLoads + kAdd),
     false},
    {"ConditionOfThreeNumbers",
     "%two = OpSelect %u32 %true %c2 %c1\n" + selection("OpIEqual %bool %two %c2", kLoads + kAdd),
     false},
    // Of 64 bits one is 0xFFFFFFFF, the other 0xFFFFFFFFFFFFFFFF.
    {"ConditionOfLongNumbers",
     "%l = OpSConvert %u64 %minus_1\n%low = OpBitcast %u32 %minus_1\n%m = OpUConvert %u64 %low\n" +
         selection("OpIEqual %bool %l %m", kLoads + kAdd),
     false},
    {"NothingIsKnownOfAWord", "%u = OpUndef %u32\n%v = OpIAdd %u32 %u %u\n" + kLoads + kAdd, true},
    {"Switch",
     kLoads + "OpSelectionMerge %joined None\nOpSwitch %c2 %joined 2 %then\n%then = OpLabel\n" +
         kAdd + "OpBranch %joined\n%joined = OpLabel\n",
     false},
    {"LoopUntil", loopUntil(kLoads + kAdd), true},
    {"LoopOfTwoBlocks", loopOfTwoBlocks(kLoads + kAdd), true},
    // What can be repeated is in the loop.
    {"LoopWithBarrier", loop(kLoads + kAdd + kBarrier), true},
    {"LoopUntilWithBarrier", loopUntil(kLoads + kAdd + kBarrier), true},
    {"LoopWithBarrierInTheMiddle", loop(kLoads + kBarrier + kAdd), false},
    {"LoopWithBarrierFirst", loop(kBarrier + kLoads + kAdd), true},
    {"LoopThatEndsInTheMiddle",
     loop(kLoads + kAdd +
          replaced(selection("OpCopyObject %bool %true", ""), "OpBranch %joined", "OpBranch %end") +
          kAddAgain + kBarrier),
     false},
    {"SelectionWithBarrier",
     kLoads + kAdd + selection("OpIEqual %bool %x %c2", kBarrier) + kAddAgain, false},
    {"BehindASelectionWithBarrier", selection("OpIEqual %bool %x %c2", kBarrier) + kLoads + kAdd,
     true},
    {"FactorThatIsConstant", replaced(kLoads + kAdd, "%a %b", "%zero_A %b"), false},
    {"FactorThatIsComputed",
     kLoads + "%negative = OpFNegate %A %a\n" + replaced(kAdd, "%a %b", "%negative %b"), false},
    {"SaturatingSum", replaced(kLoads + kAdd, "%b %s", "%b %s SaturatingAccumulationKHR"), false},
    {"SumFromMemory",
     kLoads + "%s = OpCooperativeMatrixLoadKHR %C %p %c0 %n\n" +
         replaced(kAdd, "%s = OpLoad %C %sum\n", ""),
     false},
    {"SumIsCleared", kLoads + kAdd + "OpStore %sum %zero\n" + kAddAgain, false},
    {"SumsAreCleared",
     kLoads + "%e = OpAccessChain %to_C %sums %c1\n" + addTo("%e") + "OpStore %sums %two_sums\n" +
         kAddAgain,
     false},
    {"SumsAreCopied",
     kLoads + "%e = OpAccessChain %to_C %sums %c1\n" + addTo("%e") + "%w = OpLoad %both %sums\n" +
         kAddAgain,
     false},
    {"SumIsCopied", kLoads + kAdd + "OpCopyMemory %other %sum\n" + kAddAgain, false},
    // Of one slice, it would be a part of the sum.
    {"ElementOfASumIsRead",
     kLoads + kAdd + "%h = OpInBoundsAccessChain %to_half %sum %c0\n%half = OpLoad %f16 %h\n" +
         kAddAgain,
     false},
    {"ElementOfASumIsWritten",
     kLoads + kAdd +
         "%h = OpAccessChain %to_half %sum %c0\n%zero_h = OpFSub %f16 %one %one\n"
         "OpStore %h %zero_h\n" +
         kAddAgain,
     false},
    {"PartOfWhatIsStored",
     "OpStore %pair %two_words\n%e = OpInBoundsAccessChain %to_u32 %pair %c1\n"
     "%w = OpLoad %u32 %e\n" +
         kLoads + kAdd,
     true},
    {"AnyPartOfWhatIsStored",
     "OpStore %pair %two_words\n%e = OpAccessChain %to_u32 %pair %x\n%w = OpLoad %u32 %e\n" +
         kLoads + kAdd,
     true},
    {"ConditionOfAnyPart",
     "OpStore %pair %two_words\n%e = OpAccessChain %to_u32 %pair %x\n%w = OpLoad %u32 %e\n" +
         selection("OpIEqual %bool %w %c0", kLoads + kAdd),
     false},
    {"AnyPartIsStored", "%e = OpAccessChain %to_u32 %pair %x\nOpStore %e %c1\n" + kLoads + kAdd,
     false},
    {"WholeBehindPart",
     "%e = OpAccessChain %to_u32 %pair %c1\nOpStore %e %c1\n%w = OpLoad %words_2 %pair\n"
     "OpStore %pair %w\n" +
         kLoads + kAdd,
     false},
    {"PartOfWhatIsStoredAgain",
     "%e = OpAccessChain %to_u32 %pair %c1\nOpStore %e %c1\nOpStore %pair %two_words\n"
     "%w = OpLoad %u32 %e\n" +
         selection("OpIEqual %bool %w %c1", kLoads + kAdd),
     false},
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
