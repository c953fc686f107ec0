// SPDX-License-Identifier: Apache-2.0
//
// Which flow is uniform in a workgroup: operations on subgroups that the device does not have are
// lowered there, and refused elsewhere.
#include "edit.hpp"
#include "narrow_module.hpp"

namespace coopvk::rewrite::subgroup_flow_test {
namespace {

using namespace narrow_module;

// The operation where a number is odd.
std::string whereOdd(std::string_view number) {
    return std::format(R"(
{}
%bit = OpBitwiseAnd %u32 %number %c1
%odd = OpINotEqual %bool %bit %c0
OpSelectionMerge %merge None
OpBranchConditional %odd %then %merge
%then = OpLabel
{}OpBranch %merge
%merge = OpLabel
)",
                       number, kTotal);
}

bool isUniform(const std::string& number, const Form& form = {}) {
    const std::string why = refusal(moduleOf(whereOdd(number), form));
    if (!why.empty()) {
        EXPECT_TRUE(has(why, "reach it together")) << why;
        EXPECT_TRUE(has(why, "GroupNonUniformIAdd")) << why;
    }
    return why.empty();
}

TEST(SubgroupFlow, UniformNumbers) {
    EXPECT_TRUE(isUniform("%number = OpLoad %u32 %constant"));
    EXPECT_TRUE(isUniform("%number = OpLoad %u32 %out")) << "each loads the same word";
    EXPECT_TRUE(isUniform("%number = OpLoad %u32 %shared_0"));
    EXPECT_TRUE(
        isUniform("%ids = OpLoad %u32x3 %group_in\n"
                  "%number = OpCompositeExtract %u32 %ids 1"));
    EXPECT_TRUE(isUniform("%number = OpLoad %u32 %size_in"));
    EXPECT_TRUE(
        isUniform("%some = OpLoad %u32 %constant\nOpStore %local %some\n"
                  "%number = OpLoad %u32 %local"));
    EXPECT_TRUE(isUniform("%number = OpGroupNonUniformIMul %u32 %c3 Reduce %index"));
    EXPECT_TRUE(
        isUniform("%ballot = OpGroupNonUniformBallot %u32x4 %c3 %true\n"
                  "%number = OpGroupNonUniformBallotBitCount %u32 %c3 Reduce %ballot"));
}

TEST(SubgroupFlow, NumbersThatVary) {
    EXPECT_FALSE(isUniform("%number = OpIAdd %u32 %index %c1"));
    EXPECT_FALSE(isUniform("%number = OpLoad %u32 %lane_in"));
    EXPECT_FALSE(
        isUniform("%own = OpAccessChain %to_u32 %buffer %c0 %index\n"
                  "%number = OpLoad %u32 %own"));
    EXPECT_FALSE(isUniform("%number = OpLoad %u32 %out Volatile"));
    EXPECT_FALSE(isUniform("%number = OpAtomicIAdd %u32 %out %c1 %c0 %c1"));
    EXPECT_FALSE(isUniform("OpStore %local %index\n%number = OpLoad %u32 %local"));
    EXPECT_FALSE(isUniform("%number = OpGroupNonUniformIAdd %u32 %c3 InclusiveScan %index"));
    EXPECT_FALSE(isUniform("%number = OpUndef %u32"));
    // Another workgroup may write between two invocations' loads.
    EXPECT_FALSE(isUniform("OpMemoryBarrier %c1 %c264\n%number = OpLoad %u32 %out"));
    // Each of two subgroups has a total of its own.
    constexpr auto kSum = "%number = OpGroupNonUniformIMul %u32 %c3 Reduce %index";
    EXPECT_FALSE(isUniform(kSum, {.size = "64 1 1"}));
}

// What functions are given, give back, and write to variables.
TEST(SubgroupFlow, NumbersOfFunctions) {
    const auto functionOf = [](std::string_view body) {
        return std::format(
            "%get = OpFunction %u32 None %of_pointer\n%given = OpFunctionParameter %local_u32\n"
            "%first = OpLabel\n%inner = OpLoad %u32 %index_in\n{}OpFunctionEnd\n",
            body);
    };
    const Form reads = {.functions = functionOf("%x = OpLoad %u32 %given\nOpReturnValue %x\n")};
    const Form own = {.functions = functionOf("OpReturnValue %inner\n")};
    const Form writes = {.functions = functionOf("OpStore %given %inner\nOpReturnValue %c1\n")};
    const Form clears = {.functions = functionOf("OpStore %given %c2\nOpReturnValue %c1\n")};
    const std::string call = "%called = OpFunctionCall %u32 %get %local\n";
    const std::string result = call + "%number = OpCopyObject %u32 %called";
    const std::string variable = call + "%number = OpLoad %u32 %local";
    EXPECT_TRUE(isUniform("OpStore %local %c3\n" + result, reads));
    EXPECT_FALSE(isUniform("OpStore %local %index\n" + result, reads));
    EXPECT_FALSE(isUniform("OpStore %local %c3\n" + result, own));
    EXPECT_TRUE(isUniform("OpStore %local %c3\n" + result, clears));
    EXPECT_FALSE(isUniform("OpStore %local %c3\n" + variable, writes));
    EXPECT_TRUE(isUniform("OpStore %local %c3\n" + variable, clears));
    EXPECT_TRUE(isUniform("OpStore %local %c3\n" + variable, own));
}

// A number by a condition, which may name %any, a number that all have, and %size.
std::string chosen(std::string_view condition, std::string_view one, std::string_view other) {
    return std::format(
        "%any = OpLoad %u32 %constant\n%size = OpLoad %u32 %size_in\n"
        "%by = {}\nOpSelectionMerge %chosen None\n"
        "OpBranchConditional %by %left %right\n%left = OpLabel\n"
        "OpBranch %chosen\n%right = OpLabel\nOpBranch %chosen\n"
        "%chosen = OpLabel\n%number = OpPhi %u32 {} %left {} %right",
        condition, one, other);
}

// By a number that all have, or one of each; from blocks that run, and from others.
TEST(SubgroupFlow, NumbersOfPhis) {
    const std::string_view same = "OpIEqual %bool %any %c1", each = "OpIEqual %bool %index %c1";
    const std::string_view never = "OpULessThan %bool %size %c16";
    const std::string_view always = "OpUGreaterThan %bool %size %c16";
    EXPECT_TRUE(isUniform(chosen(same, "%c1", "%c2")));
    EXPECT_FALSE(isUniform(chosen(same, "%index", "%c2")));
    EXPECT_FALSE(isUniform(chosen(same, "%c1", "%index")));
    EXPECT_FALSE(isUniform(chosen(each, "%c1", "%c2")));
    EXPECT_TRUE(isUniform(chosen(never, "%index", "%c2")));
    EXPECT_FALSE(isUniform(chosen(never, "%c1", "%index")));
    EXPECT_TRUE(isUniform(chosen(always, "%c1", "%index")));
    EXPECT_FALSE(isUniform(chosen(always, "%index", "%c2")));
    const std::string_view yes = "OpLogicalOr %bool %true %true";
    const std::string_view no = "OpLogicalNotEqual %bool %true %true";
    EXPECT_TRUE(isUniform(chosen(yes, "%c1", "%index")));
    EXPECT_FALSE(isUniform(chosen(yes, "%index", "%c2")));
    EXPECT_TRUE(isUniform(chosen(no, "%index", "%c2")));
    EXPECT_FALSE(isUniform(chosen(no, "%c1", "%index")));
}

// Workgroups of one subgroup of 32 lanes, and of two.
TEST(SubgroupFlow, NumbersOfSubgroups) {
    const auto isUniformWith = [](std::string_view builtIn, const std::string& number,
                                  const std::string& size) {
        const std::string text =
            test::edited(moduleOf(whereOdd(number), {.size = size}),
                         {{"BuiltIn SubgroupSize", "BuiltIn " + std::string(builtIn)}});
        return refusal(text).empty();
    };
    const std::string one = "32 1 1", two = "32 2 1";
    const std::string load = "%number = OpLoad %u32 %size_in";
    EXPECT_TRUE(isUniformWith("NumSubgroups", load, one));
    EXPECT_TRUE(isUniformWith("NumSubgroups", load, two));
    EXPECT_TRUE(isUniformWith("SubgroupId", load, one));
    EXPECT_FALSE(isUniformWith("SubgroupId", load, two));
    const std::string ofOne = chosen("OpIEqual %bool %size %c1", "%c1", "%index");
    EXPECT_TRUE(isUniformWith("NumSubgroups", ofOne, one));
    EXPECT_FALSE(isUniformWith("NumSubgroups", ofOne, two));
    const std::string ofTwo = chosen("OpIEqual %bool %size %c1", "%index", "%c1");
    EXPECT_FALSE(isUniformWith("NumSubgroups", ofTwo, one));
    EXPECT_TRUE(isUniformWith("NumSubgroups", ofTwo, two));
}

// Debug information names variables, and changes none.
TEST(SubgroupFlow, VariablesThatNotesName) {
    const std::string text =
        test::edited(moduleOf(whereOdd("%some = OpLoad %u32 %constant\nOpStore %local %some\n"
                                       "%note = OpExtInst %void %notes 1 %local\n"
                                       "%number = OpLoad %u32 %local")),
                     {{"OpMemoryModel",
                       "OpExtension \"SPV_KHR_non_semantic_info\"\n"
                       "%notes = OpExtInstImport \"NonSemantic.Test\"\nOpMemoryModel"}});
    EXPECT_EQ(refusal(text), "");
}

// Another workgroup may write between two invocations' loads, where an atomic operation orders
// them.
TEST(SubgroupFlow, MemoryBehindAtomics) {
    const auto isUniformBehind = [](std::string_view scope) {
        const std::string text = test::edited(
            moduleOf(whereOdd(std::format("%sum = OpAtomicFAddEXT %f32 %total_in %{} %c264 %zero\n"
                                          "%number = OpLoad %u32 %out",
                                          scope))),
            {{"OpMemoryModel",
              "OpCapability AtomicFloat32AddEXT\n"
              "OpExtension \"SPV_EXT_shader_atomic_float_add\"\nOpMemoryModel"},
             {"\nOpExecutionMode", " %total_in\nOpExecutionMode"},
             {"%main = OpFunction",
              "%f32 = OpTypeFloat 32\n%zero = OpConstant %f32 0\n"
              "%to_f32 = OpTypePointer Workgroup %f32\n%total_in = OpVariable %to_f32 Workgroup\n"
              "%main = OpFunction"}});
        return refusal(text).empty();
    };
    EXPECT_TRUE(isUniformBehind("c2"));
    EXPECT_FALSE(isUniformBehind("c1"));
}

TEST(SubgroupFlow, FlowThatMeetsAgain) {
    EXPECT_EQ(refusal(moduleOf(parts("OpBranch %merge") + std::string(kTotal))), "");
    // What was chosen where they parted differs.
    const std::string after = parts("OpBranch %merge") + R"(
%is_two = OpIEqual %bool %joined %c2
OpSelectionMerge %end None
OpBranchConditional %is_two %work %end
%work = OpLabel
)" + std::string(kTotal) + "OpBranch %end\n%end = OpLabel\n";
    EXPECT_TRUE(has(refusal(moduleOf(after)), "reach it together"));
    // Some have returned.
    std::string returned = parts("OpReturn") + std::string(kTotal);
    returned.replace(returned.find("%joined"), returned.find("\n%total") - returned.find("%joined"),
                     "");
    EXPECT_TRUE(has(refusal(moduleOf(returned)), "reach it together"));
}

// A loop with as many iterations as `last` says.
std::string loopTo(std::string_view last, std::string_view inside) {
    return std::format(R"(
%bound = OpLoad %u32 %constant
OpBranch %head
%head = OpLabel
%k = OpPhi %u32 %c0 %start %next %continue
OpLoopMerge %done %continue None
OpBranch %check
%check = OpLabel
%less = OpULessThan %bool %k {}
OpBranchConditional %less %work %done
%work = OpLabel
{}
OpBranch %continue
%continue = OpLabel
%next = OpIAdd %u32 %k %c1
OpBranch %head
%done = OpLabel
)",
                       last, inside);
}

TEST(SubgroupFlow, Loops) {
    EXPECT_EQ(refusal(moduleOf(loopTo("%bound", kTotal))), "");
    EXPECT_TRUE(has(refusal(moduleOf(loopTo("%index", kTotal))), "reach it together"));
    // All leave such a loop in the end, with different numbers.
    EXPECT_EQ(refusal(moduleOf(loopTo("%index", "") + std::string(kTotal))), "");
    const std::string after = loopTo("%index", "") + R"(
%is_two = OpIEqual %bool %k %c2
OpSelectionMerge %end None
OpBranchConditional %is_two %last %end
%last = OpLabel
)" + std::string(kTotal) + "OpBranch %end\n%end = OpLabel\n";
    EXPECT_TRUE(has(refusal(moduleOf(after)), "reach it together"));
}

// In the second iteration some do not come to where all met in the first one.
TEST(SubgroupFlow, WhatVariesLater) {
    const std::string inside = R"(
%held = OpLoad %u32 %local
%some = OpIEqual %bool %held %c2
OpSelectionMerge %end None
OpBranchConditional %some %last %end
%last = OpLabel
%odd = OpIEqual %bool %index %c1
OpSelectionMerge %merge None
OpBranchConditional %odd %then %otherwise
%then = OpLabel
OpBranch %merge
%otherwise = OpLabel
OpBranch %merge
%merge = OpLabel
)" + std::string(kTotal) + "OpBranch %end\n%end = OpLabel\n{}\n";
    const auto with = [&](std::string_view store) {
        std::string text = loopTo("%bound", inside);
        return moduleOf("OpStore %local %c0\n" + text.replace(text.find("{}"), 2, store));
    };
    EXPECT_EQ(refusal(with("OpStore %local %k")), "");
    EXPECT_TRUE(has(refusal(with("OpStore %local %index")), "reach it together"));
}

// Nothing says that those who fall through meet the others before the merge block.
TEST(SubgroupFlow, CasesThatFallThrough) {
    const auto where = [](std::string_view number, std::string_view inside,
                          std::string_view behind) {
        return moduleOf(std::format(R"(
%number = OpLoad %u32 {}
OpSelectionMerge %merge None
OpSwitch %number %otherwise 1 %one
%one = OpLabel
OpBranch %otherwise
%otherwise = OpLabel
{}OpBranch %merge
%merge = OpLabel
{})",
                                    number, inside, behind));
    };
    EXPECT_EQ(refusal(where("%constant", kTotal, "")), "");
    EXPECT_EQ(refusal(where("%index_in", "", kTotal)), "");
    EXPECT_TRUE(has(refusal(where("%index_in", kTotal, "")), "reach it together"));
}

TEST(SubgroupFlow, CalledFunctions) {
    const Form form = {.functions = "%called = OpFunction %void None %f\n%first = OpLabel\n" +
                                    std::string(kTotal) + "OpReturn\nOpFunctionEnd\n"};
    std::string functions = form.functions;
    functions.replace(functions.find("%index"), 6, "%c1");
    const Form calling = {.functions = functions};
    EXPECT_EQ(refusal(moduleOf("%r = OpFunctionCall %void %called\n", calling)), "");
    const std::string apart = parts("%r = OpFunctionCall %void %called\nOpBranch %merge");
    EXPECT_TRUE(has(refusal(moduleOf(apart, calling)), "reach it together"));
}

// What a loop calls is reached apart where lanes leave the loop behind it.
TEST(SubgroupFlow, CallsInLoops) {
    const Form calling = {.functions =
                              "%called = OpFunction %void None %f\n%first = OpLabel\n"
                              "%sum = OpGroupNonUniformIAdd %u32 %c3 Reduce %c1\n"
                              "OpReturn\nOpFunctionEnd\n"};
    const auto loopWhile = [](std::string_view bound) {
        return std::format(R"(OpBranch %head
%head = OpLabel
%k = OpPhi %u32 %c0 %start %next %continue
OpLoopMerge %done %continue None
OpBranch %work
%work = OpLabel
%r = OpFunctionCall %void %called
OpBranch %continue
%continue = OpLabel
%next = OpIAdd %u32 %k %c1
%again = OpULessThan %bool %next {}
OpBranchConditional %again %head %done
%done = OpLabel
)",
                           bound);
    };
    EXPECT_EQ(refusal(moduleOf(loopWhile("%c4"), calling)), "");
    EXPECT_TRUE(has(refusal(moduleOf(loopWhile("%index"), calling)), "reach it together"));
}

// Parameters of functions are pointers in what compilers of GLSL write.
TEST(SubgroupFlow, PointersToVariables) {
    const Form form = {.functions =
                           "%called = OpFunction %u32 None %of_pointer\n"
                           "%parameter = OpFunctionParameter %local_u32\n"
                           "%first = OpLabel\n%value = OpLoad %u32 %parameter\n"
                           "OpReturnValue %value\nOpFunctionEnd\n"};
    const auto given = [](std::string_view number) {
        return std::format(
            "%some = OpLoad %u32 {}\nOpStore %local %some\n"
            "%number = OpFunctionCall %u32 %called %local",
            number);
    };
    EXPECT_TRUE(isUniform(given("%constant"), form));
    EXPECT_FALSE(isUniform(given("%index_in"), form));
}

// Code for subgroups of other sizes does not run.
TEST(SubgroupFlow, WhatTheSizeRulesOut) {
    const auto where = [](std::string_view size) {
        return std::format(R"(
%own = OpLoad %u32 %size_in
%small = OpIEqual %bool %own {}
OpSelectionMerge %merge None
OpBranchConditional %small %then %merge
%then = OpLabel
OpStore %local %index
OpBranch %merge
%merge = OpLabel
%held = OpLoad %u32 %local
%is_two = OpIEqual %bool %held %c2
OpSelectionMerge %end None
OpBranchConditional %is_two %last %end
%last = OpLabel
{}OpBranch %end
%end = OpLabel
)",
                           size, kTotal);
    };
    EXPECT_EQ(refusal(moduleOf(where("%c16"))), "");
    EXPECT_TRUE(has(refusal(moduleOf(where("%c32"))), "reach it together"));
}

}  // namespace
}  // namespace coopvk::rewrite::subgroup_flow_test
