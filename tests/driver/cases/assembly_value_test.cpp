// SPDX-License-Identifier: Apache-2.0
//
// Matrix values that GLSL cannot express: copies, constants, initialisers, literal indices into
// composites, phi of composites, whole-matrix select, lengths in constants.
#include <gtest/gtest.h>

#include "harness/covering.hpp"
#include "harness/requirement.hpp"
#include "harness/value.hpp"

namespace coopvk::test::assembly_value_test {
namespace {

// ${add} adds two matrices of type T.
const std::vector<AssemblyValue>& values() {
    static const std::vector<AssemblyValue> table = {
        {"Decorated",
         "",
         "%x = OpCopyObject %T %A\n%y = ${add} %T %x %B\n%R = OpCopyObject %T %y\n",
         "",
         Checked::kYes,
         {},
         {},
         {},
         "OpDecorate %x RelaxedPrecision\nOpDecorate %y RelaxedPrecision\n"
         "OpDecorate %A RelaxedPrecision\n"},
        {"ChainWithoutIndexes", "%fp = OpTypePointer Function %T\n",
         "%v = OpVariable %fp Function\n@loads\n%q = OpAccessChain %fp %v\nOpStore %q %A\n"
         "%w = OpCopyObject %fp %q\n%R = OpLoad %T %w\n",
         ""},
        {"CopyObject", "", "%x = OpCopyObject %T %A\n%R = OpCopyObject %T %x\n", ""},
        {"Undef", "%u = OpUndef %T\n%st = OpTypeStruct %T %T\n",
         "%s = OpUndef %st\n%s1 = OpCompositeInsert %st %A %s 1\n"
         "%R = OpCompositeExtract %T %s1 1\n",
         ""},
        {"UndefInFunction", "",
         "%u = OpUndef %T\n%cond = OpIEqual %bool %c_0 %c_0\n"
         "OpSelectionMerge %m None\nOpBranchConditional %cond %t %m\n%t = OpLabel\nOpBranch %m\n"
         "%m = OpLabel\n%R = OpPhi %T %u %main_entry %A %t\n",
         ""},
        {"ConstantNull", "%zero = OpConstantNull %T\n", "%R = ${add} %T %A %zero\n", ""},
        {"ConstantComposite", "%twos = OpConstantComposite %T %k_2\n", "%R = ${add} %T %A %twos\n",
         ""},
        {"SpecConstantComposite",
         "%k_s = OpSpecConstant ${E} ${two}\n%twos = OpSpecConstantComposite %T %k_s\n",
         "%R = ${add} %T %A %twos\n", ""},
        {"ConstantCompositeReplicate",
         "%twos = OpConstantCompositeReplicateEXT %T %k_2\n",
         "%R = ${add} %T %A %twos\n",
         "",
         Checked::kYes,
         {"ReplicatedCompositesEXT"},
         {"SPV_EXT_replicated_composites"}},
        {"ConstructReplicate",
         "",
         "%twos = OpCompositeConstructReplicateEXT %T %k_2\n%R = ${add} %T %A %twos\n",
         "",
         Checked::kYes,
         {"ReplicatedCompositesEXT"},
         {"SPV_EXT_replicated_composites"}},
        {"ReplicatedArrayOfMatrices",
         "%arr = OpTypeArray %T %c_3\n",
         "%m = OpCompositeConstructReplicateEXT %arr %A\n%x = OpCompositeExtract %T %m 0\n"
         "%y = OpCompositeExtract %T %m 2\n%R = ${add} %T %x %y\n",
         "",
         Checked::kYes,
         {"ReplicatedCompositesEXT"},
         {"SPV_EXT_replicated_composites"}},
        {"Construct", "", "%twos = OpCompositeConstruct %T %k_2\n%R = ${add} %T %A %twos\n", ""},
        {"NullStruct",
         "%arr = OpTypeArray %T %c_2\n%st = OpTypeStruct %u32 %arr\n"
         "%zero = OpConstantNull %st\n",
         "%z = OpCompositeExtract %T %zero 1 1\n%R = ${add} %T %A %z\n", ""},
        {"ConstantStruct",
         "%twos = OpConstantComposite %T %k_2\n%st = OpTypeStruct %u32 %T\n"
         "%k = OpConstantComposite %st %c_1 %twos\n",
         "%z = OpCompositeExtract %T %k 1\n%R = ${add} %T %A %z\n", ""},
        {"FunctionInitializer",
         "%twos = OpConstantComposite %T %k_2\n%fp = OpTypePointer Function "
         "%T\n",
         "%v = OpVariable %fp Function %twos\n@loads\n%x = OpLoad %T %v\n%R = ${add} %T %A %x\n",
         ""},
        {"PrivateInitializer",
         "%twos = OpConstantComposite %T %k_2\n%pp = OpTypePointer Private "
         "%T\n%v = OpVariable %pp Private %twos\n",
         "%x = OpLoad %T %v\n%R = ${add} %T %A %x\n",
         "",
         Checked::kYes,
         {},
         {},
         {"%v"}},
        {"PrivateArrayInitializer",
         "%twos = OpConstantComposite %T %k_2\n%zero = OpConstantNull "
         "%T\n%arr = OpTypeArray %T %c_2\n%k = OpConstantComposite %arr %zero %twos\n%pp = "
         "OpTypePointer Private %arr\n%pt = OpTypePointer Private %T\n%v = OpVariable %pp Private "
         "%k\n",
         "%q = OpAccessChain %pt %v %c_1\n%x = OpLoad %T %q\n%R = ${add} %T %A %x\n",
         "",
         Checked::kYes,
         {},
         {},
         {"%v"}},
        {"PrivateNullInitializer",
         "%zero = OpConstantNull %T\n%pp = OpTypePointer Private %T\n"
         "%v = OpVariable %pp Private %zero\n",
         "%x = OpLoad %T %v\n%R = ${add} %T %A %x\n",
         "",
         Checked::kYes,
         {},
         {},
         {"%v"}},
        {"CopyMemory", "%fp = OpTypePointer Function %T\n",
         "%v = OpVariable %fp Function\n%w = OpVariable %fp Function\n@loads\nOpStore %v %A\n"
         "OpCopyMemory %w %v\nOpStore %v %B\n%x = OpLoad %T %w\n%y = OpLoad %T %v\n"
         "%R = ${add} %T %x %y\n",
         ""},
        {"CopyMemoryStruct",
         "%arr = OpTypeArray %T %c_2\n%st = OpTypeStruct %arr %u32\n"
         "%fs = OpTypePointer Function %st\n%fp = OpTypePointer Function %T\n",
         "%v = OpVariable %fs Function\n%w = OpVariable %fs Function\n@loads\n"
         "%v0 = OpAccessChain %fp %v %c_0 %c_0\n%v1 = OpAccessChain %fp %v %c_0 %c_1\nOpStore %v0 "
         "%A\nOpStore %v1 %B\nOpCopyMemory %w %v\nOpStore %v0 %C\n%w0 = OpAccessChain %fp %w %c_0 "
         "%c_0\n%w1 = OpAccessChain %fp %w %c_0 %c_1\n%x = OpLoad %T %w0\n%y = OpLoad %T %w1\n"
         "%R = ${add} %T %x %y\n",
         ""},
        {"VolatileVariable", "%fp = OpTypePointer Function %T\n",
         "%v = OpVariable %fp Function\n@loads\nOpStore %v %A Volatile\n%x = OpLoad %T %v "
         "Volatile\n%R = OpCopyObject %T %x\n",
         ""},
        {"CopyLogical", "%s1 = OpTypeStruct %T %u32\n%s2 = OpTypeStruct %T %u32\n",
         "%x = OpCompositeConstruct %s1 %A %c_1\n%y = OpCopyLogical %s2 %x\n"
         "%R = OpCompositeExtract %T %y 0\n",
         ""},
        {"CompositeOfMatrices", "%arr = OpTypeArray %T %c_2\n%st = OpTypeStruct %arr %u32 %T\n",
         "%m = OpCompositeConstruct %arr %A %B\n%s = OpCompositeConstruct %st %m %c_2 %C\n"
         "%x = OpCompositeExtract %T %s 0 1\n%y = OpCompositeExtract %arr %s 0\n"
         "%z = OpCompositeExtract %T %y 0\n%cond = OpCompositeExtract %T %s 2\n"
         "%xz = ${add} %T %x %z\n%R = ${add} %T %xz %cond\n",
         ""},
        {"CompositeInsertMatrix", "%arr = OpTypeArray %T %c_2\n%st = OpTypeStruct %arr %u32\n",
         "%m = OpCompositeConstruct %arr %A %A\n%s = OpCompositeConstruct %st %m %c_2\n"
         "%s2 = OpCompositeInsert %st %B %s 0 1\n%x = OpCompositeExtract %T %s2 0 1\n"
         "%y = OpCompositeExtract %T %s2 0 0\n%R = ${add} %T %x %y\n",
         ""},
        {"ElementExtractInsert", "",
         "%e = OpCompositeExtract ${E} %A 0\n%x = OpCompositeInsert %T %e %A 0\n"
         "%R = OpCopyObject %T %x\n",
         ""},
        {"ElementExtractThroughStruct", "%st = OpTypeStruct %u32 %T\n",
         "%s = OpCompositeConstruct %st %c_1 %A\n%e = OpCompositeExtract ${E} %s 1 0\n"
         "%s2 = OpCompositeInsert %st %e %s 1 0\n%R = OpCompositeExtract %T %s2 1\n",
         ""},
        {"ElementPointerIntoStruct",
         "%arr = OpTypeArray %T %c_2\n%st = OpTypeStruct %u32 %arr\n"
         "%fs = OpTypePointer Function %st\n%fp = OpTypePointer Function %T\n"
         "%fe = OpTypePointer Function ${E}\n",
         "%v = OpVariable %fs Function\n@loads\n%vm = OpAccessChain %fp %v %c_1 %c_1\n"
         "OpStore %vm %A\n%ve = OpAccessChain %fe %v %c_1 %c_1 %c_0\n%e = OpLoad ${E} %ve\n"
         "%ve2 = OpInBoundsAccessChain %fe %vm %c_0\nOpStore %ve2 %e\n%R = OpLoad %T %vm\n",
         ""},
        {"PhiOfArray", "%arr = OpTypeArray %T %c_2\n",
         "%m = OpCompositeConstruct %arr %A %B\nOpBranch %head\n%head = OpLabel\n"
         "%i = OpPhi %u32 %c_0 %main_entry %i1 %next\n%p = OpPhi %arr %m %main_entry %q %next\n"
         "%cond = OpULessThan %bool %i %c_3\nOpLoopMerge %done %next None\n"
         "OpBranchConditional %cond %work %done\n%work = OpLabel\nOpBranch %next\n%next = OpLabel\n"
         "%x = OpCompositeExtract %T %p 0\n%y = OpCompositeExtract %T %p 1\n"
         "%xc = ${add} %T %x %C\n%q = OpCompositeConstruct %arr %y %xc\n"
         "%i1 = OpIAdd %u32 %i %c_1\nOpBranch %head\n%done = OpLabel\n"
         "%R = OpCompositeExtract %T %p 0\n",
         ""},
        {"PhiSwap", "",
         "OpBranch %head\n%head = OpLabel\n%i = OpPhi %u32 %c_0 %main_entry %i1 %next\n"
         "%x = OpPhi %T %A %main_entry %y %next\n%y = OpPhi %T %B %main_entry %x %next\n"
         "%cond = OpULessThan %bool %i %c_3\nOpLoopMerge %done %next None\n"
         "OpBranchConditional %cond %next %done\n%next = OpLabel\n%i1 = OpIAdd %u32 %i %c_1\n"
         "OpBranch %head\n%done = OpLabel\n%R = ${add} %T %x %x\n",
         ""},
        {"SelectMatrix", "", "%cond = OpIEqual %bool %c_1 %c_0\n%R = OpSelect %T %cond %A %B\n", "",
         Checked::kNo},
        {"SelectComposite", "%st = OpTypeStruct %T %u32\n",
         "%x = OpCompositeConstruct %st %A %c_1\n%y = OpCompositeConstruct %st %B %c_2\n"
         "%cond = OpIEqual %bool %c_1 %c_1\n%s = OpSelect %st %cond %x %y\n"
         "%R = OpCompositeExtract %T %s 0\n",
         ""},
        {"SpecConstantOpLength",
         "%n = OpSpecConstantOp %u32 CooperativeMatrixLengthKHR %T\n"
         "%arr = OpTypeArray ${E} %n\n%fa = OpTypePointer Function %arr\n%fm = OpTypePointer "
         "Function %T\n%fe = OpTypePointer Function ${E}\n",
         "%v = OpVariable %fa Function\n%w = OpVariable %fm Function\n@loads\nOpStore %w %A\n"
         "OpBranch %head\n%head = OpLabel\n%i = OpPhi %u32 %c_0 %main_entry %i1 %next\n"
         "%cond = OpULessThan %bool %i %n\nOpLoopMerge %done %next None\n"
         "OpBranchConditional %cond %work %done\n%work = OpLabel\n%q = OpAccessChain %fe %w %i\n"
         "%e = OpLoad ${E} %q\n%va = OpAccessChain %fe %v %i\nOpStore %va %e\n%e2 = OpLoad ${E} "
         "%va\nOpStore %q %e2\nOpBranch %next\n%next = OpLabel\n%i1 = OpIAdd %u32 %i %c_1\n"
         "OpBranch %head\n%done = OpLabel\n%R = OpLoad %T %w\n",
         ""},
        {"LengthArithmetic",
         "%n = OpSpecConstantOp %u32 CooperativeMatrixLengthKHR %T\n"
         "%n1 = OpSpecConstantOp %u32 IAdd %n %c_1\n",
         "%l = OpCooperativeMatrixLengthKHR %u32 %T\n%l1 = OpIAdd %u32 %l %c_1\n"
         "%cond = OpIEqual %bool %l1 %n1\nOpSelectionMerge %m None\nOpBranchConditional %cond %t "
         "%m\n"
         "%t = OpLabel\nOpBranch %m\n%m = OpLabel\n%R = OpPhi %T %B %main_entry %A %t\n",
         ""},
        {"FunctionByValue", "%ft = OpTypeFunction %T %T %T\n", "%R = OpFunctionCall %T %f %A %B\n",
         "%f = OpFunction %T None %ft\n%x = OpFunctionParameter %T\n%y = OpFunctionParameter %T\n"
         "%fl = OpLabel\n%z = ${add} %T %x %y\nOpReturnValue %z\nOpFunctionEnd\n"},
        {"FunctionNoInline",
         "%st = OpTypeStruct %T %u32 %T\n%ft = OpTypeFunction %st %T %u32 %st\n"
         "%zero = OpConstantNull %st\n",
         "%s = OpFunctionCall %st %f %A %c_1 %zero\n%t = OpFunctionCall %st %f %B %c_2 %s\n"
         "%x = OpCompositeExtract %T %t 0\n%y = OpCompositeExtract %T %t 2\n"
         "%R = ${add} %T %x %y\n",
         "%f = OpFunction %st DontInline %ft\n%fx = OpFunctionParameter %T\n"
         "%fn = OpFunctionParameter %u32\n%fs = OpFunctionParameter %st\n%fl = OpLabel\n"
         "%old = OpCompositeExtract %T %fs 0\n%fr = OpCompositeConstruct %st %fx %fn %old\n"
         "OpReturnValue %fr\nOpFunctionEnd\n"},
        {"FunctionByPointer",
         "%fp = OpTypePointer Function %T\n%ft = OpTypeFunction %void %fp %T\n",
         "%v = OpVariable %fp Function\n@loads\nOpStore %v %A\n%n1 = OpFunctionCall %void %f %v "
         "%B\n%n2 = OpFunctionCall %void %f %v %C\n%R = OpLoad %T %v\n",
         "%f = OpFunction %void None %ft\n%x = OpFunctionParameter %fp\n%y = OpFunctionParameter "
         "%T\n%fl = OpLabel\n%x1 = OpLoad %T %x\n%z = ${add} %T %x1 %y\nOpStore %x %z\nOpReturn\n"
         "OpFunctionEnd\n"},
        {"FunctionElementPointer",
         "%fp = OpTypePointer Function %T\n%fe = OpTypePointer Function "
         "${E}\n%ft = OpTypeFunction %void %fp\n",
         "%v = OpVariable %fp Function\n@loads\nOpStore %v %A\n%n1 = OpFunctionCall %void %f %v\n"
         "%R = OpLoad %T %v\n",
         "%f = OpFunction %void None %ft\n%x = OpFunctionParameter %fp\n%fl = OpLabel\n"
         "%q = OpAccessChain %fe %x %c_0\n%e = OpLoad ${E} %q\nOpStore %q %e\nOpReturn\n"
         "OpFunctionEnd\n"},
        {"LoopsOfCalls", "%ft = OpTypeFunction %T %T %T\n",
         "OpBranch %head\n%head = OpLabel\n%i = OpPhi %u32 %c_0 %main_entry %i1 %next\n"
         "%x = OpPhi %T %A %main_entry %x1 %next\n%cond = OpULessThan %bool %i %c_2\n"
         "OpLoopMerge %done %next None\nOpBranchConditional %cond %next %done\n%next = OpLabel\n"
         "%x1 = OpFunctionCall %T %f %x %B\n%i1 = OpIAdd %u32 %i %c_1\nOpBranch %head\n"
         "%done = OpLabel\n%R = OpCopyObject %T %x\n",
         "%f = OpFunction %T None %ft\n%fx = OpFunctionParameter %T\n%fy = OpFunctionParameter %T\n"
         "%fl = OpLabel\n%z = ${add} %T %fx %fy\nOpReturnValue %z\nOpFunctionEnd\n"},
        {"UnreachableFunction", "%ft = OpTypeFunction %T %T\n%fv = OpTypeFunction %T\n",
         "%R = OpCopyObject %T %A\n",
         "%f = OpFunction %T None %ft\n%fx = OpFunctionParameter %T\n%fl = OpLabel\n"
         "OpUnreachable\nOpFunctionEnd\n"},
        {"SwitchOnUniform", "",
         "OpSelectionMerge %m None\nOpSwitch %c_5 %other 1 %one 5 %five\n"
         "%other = OpLabel\nOpBranch %m\n%one = OpLabel\nOpBranch %five\n%five = OpLabel\n"
         "%y = OpPhi %T %A %main_entry %B %one\nOpBranch %m\n%m = OpLabel\n"
         "%R = OpPhi %T %B %other %y %five\n",
         ""},
    };
    return table;
}

using Parameter = IndexPair;  // value, type
class AssemblyValues : public testing::TestWithParam<Parameter> {};

TEST_P(AssemblyValues, MatchesReference) {
    AssemblyValue value = values()[std::get<0>(GetParam())];
    const ValueType type = valueTypes()[std::get<1>(GetParam())];
    if (!value.extensions.empty()) COOPVK_REQUIRE(Requirement::kReplicatedComposites);
    const Assembly assembly = valueAssembly(value, type);
    expectValue(assemble(assembly, value.checked), type);
}

INSTANTIATE_TEST_SUITE_P(All, AssemblyValues,
                         testing::ValuesIn(coveringIndices(values().size(), valueTypes().size())),
                         [](const auto& param) {
                             return values()[std::get<0>(param.param)].name + "_" +
                                    valueTypeName(valueTypes()[std::get<1>(param.param)]);
                         });

}  // namespace
}  // namespace coopvk::test::assembly_value_test
