// SPDX-License-Identifier: Apache-2.0
//
// VK_NV_cooperative_matrix: code that only assembly can express.
#include <gtest/gtest.h>

#include "harness/assembly.hpp"
#include "harness/compute.hpp"
#include "harness/nv.hpp"
#include "harness/reference.hpp"

namespace coopvk::test::nv_assembly_test {
namespace {

// %x, %y and %z hold the inputs, of type %T (f16, 8x8); the body defines %r.
struct AssemblyCase {
    std::string name, declarations, body, functions;
};

const AssemblyCase kAssembly[] = {
    {"NullInEveryRole", "%null = OpConstantNull %T\n",
     "%p = OpCooperativeMatrixMulAddNV %T %null %y %z\n"
     "%q = OpCooperativeMatrixMulAddNV %T %x %null %p\n"
     "%s = OpCooperativeMatrixMulAddNV %T %x %y %null\n"
     "%r = OpFAdd %T %q %s\n",
     ""},
    {"CompositeConstantInEveryRole",
     "%one = OpConstant %f16 0x1p+0\n%ones = OpConstantComposite %T %one\n",
     "%p = OpCooperativeMatrixMulAddNV %T %ones %y %ones\n"
     "%q = OpCooperativeMatrixMulAddNV %T %x %ones %p\n"
     "%r = OpFAdd %T %q %ones\n",
     ""},
    {"StructConstant",
     "%one = OpConstant %f16 0x1p+0\n%ones = OpConstantComposite %T %one\n"
     "%null = OpConstantNull %T\n%pair = OpTypeStruct %T %T\n%triple = OpTypeStruct %pair %T\n"
     "%pair_value = OpConstantComposite %pair %ones %null\n"
     "%triple_value = OpConstantComposite %triple %pair_value %ones\n",
     "%a = OpCompositeExtract %T %triple_value 0 0\n"
     "%c = OpCompositeExtract %T %triple_value 0 1\n"
     "%b = OpCompositeExtract %T %triple_value 1\n"
     "%p = OpCooperativeMatrixMulAddNV %T %a %y %c\n"
     "%q = OpCooperativeMatrixMulAddNV %T %x %b %p\n"
     "%r = OpFAdd %T %q %z\n",
     ""},
    {"UndefMoves", "%pair = OpTypeStruct %T %T\n",
     "%u = OpUndef %pair\n%v = OpUndef %T\n"
     "%s = OpCompositeInsert %pair %x %u 0\n%t = OpCompositeInsert %pair %y %s 1\n"
     "%a = OpCompositeExtract %T %t 0\n%b = OpCompositeExtract %T %t 1\n"
     "%r = OpCooperativeMatrixMulAddNV %T %a %b %z\n",
     ""},
    {"PhisOfTwoRoles", "",
     "%is = OpIEqual %bool %subgroup %c_0\n"
     "OpSelectionMerge %merge None\nOpBranchConditional %is %left %right\n"
     "%left = OpLabel\n%l = OpCooperativeMatrixMulAddNV %T %x %y %z\nOpBranch %merge\n"
     "%right = OpLabel\nOpBranch %merge\n"
     "%merge = OpLabel\n%m = OpPhi %T %l %left %x %right\n%n = OpPhi %T %y %left %z %right\n"
     "%r = OpCooperativeMatrixMulAddNV %T %m %n %m\n",
     ""},
    {"LengthInSpecConstantOp",
     "%length = OpSpecConstantOp %u32 CooperativeMatrixLengthNV %T\n"
     "%twice = OpSpecConstantOp %u32 IMul %length %c_2\n"
     "%kept_array = OpTypeArray %f16 %twice\n%fn_kept = OpTypePointer Function %kept_array\n"
     "%fn_T = OpTypePointer Function %T\n%fn_f16 = OpTypePointer Function %f16\n"
     "%kept_fn = OpTypeFunction %T %T\n",
     "%d = OpFunctionCall %T %double %x\n"
     "%r = OpCooperativeMatrixMulAddNV %T %d %y %z\n",
     // Doubles every element by way of an array.
     "%double = OpFunction %T None %kept_fn\n%in = OpFunctionParameter %T\n%d0 = OpLabel\n"
     "%kept = OpVariable %fn_kept Function\n%v = OpVariable %fn_T Function\nOpStore %v %in\n"
     "%len = OpCooperativeMatrixLengthNV %u32 %T\nOpBranch %head\n"
     "%head = OpLabel\n%i = OpPhi %u32 %c_0 %d0 %next %cont\n"
     "OpLoopMerge %done %cont None\nOpBranch %test\n"
     "%test = OpLabel\n%more = OpULessThan %bool %i %len\n"
     "OpBranchConditional %more %body %done\n"
     "%body = OpLabel\n%e = OpAccessChain %fn_f16 %v %i\n%ev = OpLoad %f16 %e\n"
     "%j = OpIAdd %u32 %i %length\n%k = OpAccessChain %fn_f16 %kept %j\n"
     "%two = OpFAdd %f16 %ev %ev\nOpStore %k %two\n%kv = OpLoad %f16 %k\nOpStore %e %kv\n"
     "OpBranch %cont\n"
     "%cont = OpLabel\n%next = OpIAdd %u32 %i %c_1\nOpBranch %head\n"
     "%done = OpLabel\n%out = OpLoad %T %v\nOpReturnValue %out\nOpFunctionEnd\n"},
    {"CopyMemoryAndObject",
     "%fn_T = OpTypePointer Function %T\n%pv_T = OpTypePointer Private %T\n"
     "%global = OpVariable %pv_T Private\n%fn2 = OpTypeFunction %T %T %T %T\n",
     "%r = OpFunctionCall %T %mul %x %y %z\n",
     "%mul = OpFunction %T None %fn2\n%p = OpFunctionParameter %T\n%q = OpFunctionParameter %T\n"
     "%s = OpFunctionParameter %T\n%m0 = OpLabel\n%v = OpVariable %fn_T Function\n"
     "OpStore %v %p\nOpCopyMemory %global %v\n%a = OpLoad %T %global\n%b = OpCopyObject %T %q\n"
     "%m = OpCooperativeMatrixMulAddNV %T %a %b %s\nOpReturnValue %m\nOpFunctionEnd\n"},
};

std::string caseText(const AssemblyCase& c) {
    Assembly assembly;
    assembly.buffers = {scalars("in_x", Component::kF16), scalars("in_y", Component::kF16),
                        scalars("in_z", Component::kF16), scalars("out_r", Component::kF16)};
    assembly.capabilities = {"CooperativeMatrixNV", "VariablePointers"};
    assembly.extensions = {"SPV_NV_cooperative_matrix"};
    if (c.name == "CopyMemoryAndObject") assembly.interfaces = {"%global"};
    assembly.declarations =
        "%T = OpTypeCooperativeMatrixNV %f16 %c_3 %c_8 %c_8\n"
        "%false = OpConstantFalse %bool\n" +
        c.declarations;
    assembly.body =
        "%subgroup = OpLoad %u32 %subgroup_id\n"
        "%px = OpAccessChain %sb_f16 %in_x %c_0 %c_0\n"
        "%py = OpAccessChain %sb_f16 %in_y %c_0 %c_0\n"
        "%pz = OpAccessChain %sb_f16 %in_z %c_0 %c_0\n"
        "%pr = OpAccessChain %sb_f16 %out_r %c_0 %c_0\n"
        "%x = OpCooperativeMatrixLoadNV %T %px %c_8 %false\n"
        "%y = OpCooperativeMatrixLoadNV %T %py %c_8 %false\n"
        "%z = OpCooperativeMatrixLoadNV %T %pz %c_8 %false\n" +
        c.body + "OpCooperativeMatrixStoreNV %pr %r %c_8 %false\n";
    assembly.functions = c.functions;
    return nv::textWithoutKhr(assembly);
}

class NvAssembly : public testing::TestWithParam<AssemblyCase> {};

TEST_P(NvAssembly, MatchesReference) {
    if (const std::string why = nv::missing(); !why.empty()) GTEST_SKIP() << why;
    const AssemblyCase& c = GetParam();
    Rng rng(c.name);
    Dispatch dispatch;
    for (int i = 0; i < 3; ++i) {
        Matrix input(Component::kF16, 8, 8);
        for (uint64_t& value : input.elements)
            value = fromDouble(Component::kF16, static_cast<double>(rng.range(-2, 2)));
        dispatch.buffers.push_back(pack(input));
    }
    dispatch.buffers.push_back(rng.bytes(8 * 8 * 2));
    expectNumbersAsReference(assemble(caseText(c)), dispatch, Component::kF16);
}

INSTANTIATE_TEST_SUITE_P(Cases, NvAssembly, testing::ValuesIn(kAssembly),
                         [](const testing::TestParamInfo<AssemblyCase>& test) {
                             return test.param.name;
                         });

}  // namespace
}  // namespace coopvk::test::nv_assembly_test
