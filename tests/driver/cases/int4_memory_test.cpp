// SPDX-License-Identifier: Apache-2.0
//
// 4-bit integers in variables: pointers to single components, copies, odd vectors.
// int4_storage_test.cpp tests memory with a layout.
#include <gtest/gtest.h>

#include "harness/int4_case.hpp"

namespace coopvk::test::int4_memory_test {
namespace {

const Int4Cases& inMemory() {
    static const Int4Cases list = {
        {"FunctionVariables",
         "%arr = OpTypeArray %s4 %c_5\n%fn_arr = OpTypePointer Function %arr\n"
         "%fn_s4 = OpTypePointer Function %s4\n%fn_v = OpTypePointer Function %u4x8\n"
         "%fn_u4 = OpTypePointer Function %u4\n",
         "%var_a = OpVariable %fn_arr Function\n%var_v = OpVariable %fn_v Function\n"
         "%var_i = OpVariable %fn_s4 Function %n7\n"
         "%k = OpUMod %u32 %x %c_5\n%e = OpSConvert %s4 %x\n%p = OpAccessChain %fn_s4 %var_a %k\n"
         "OpStore %p %e\n%v = OpBitcast %u4x8 %x\nOpStore %var_v %v\n"
         "%pc = OpAccessChain %fn_u4 %var_v %c_3\nOpStore %pc %u13\n%k7 = OpBitwiseAnd %u32 %x "
         "%c_7\n"
         "%pd = OpInBoundsAccessChain %fn_u4 %var_v %k7\n%dyn = OpLoad %u4 %pd\n"
         "%all = OpLoad %u4x8 %var_v\n%back = OpLoad %s4 %p\n%init = OpLoad %s4 %var_i\n"
         "%w1 = OpBitcast %u32 %all\n%w2 = OpSConvert %u32 %back\n%w3 = OpSConvert %u32 %init\n"
         "%w4 = OpUConvert %u32 %dyn\n%t1 = OpIAdd %u32 %w1 %w2\n%t2 = OpIAdd %u32 %t1 %w3\n"
         "%r = OpIAdd %u32 %t2 %w4\n"},
        {"PrivateAndWorkgroup",
         "%pv_s4 = OpTypePointer Private %s4\n%pv = OpVariable %pv_s4 Private %n1\n"
         "%arr = OpTypeArray %u4x4 %c_128\n%wg_arr = OpTypePointer Workgroup %arr\n"
         "%wg_v = OpTypePointer Workgroup %u4x4\n%wg_u4 = OpTypePointer Workgroup %u4\n"
         "%wg = OpVariable %wg_arr Workgroup\n",
         "%init = OpLoad %s4 %pv\n%e = OpSConvert %s4 %x\nOpStore %pv %e\n%back = OpLoad %s4 %pv\n"
         "%h = OpUConvert %u16 %x\n%v = OpBitcast %u4x4 %h\n%p = OpAccessChain %wg_v %wg %l\n"
         "OpStore %p %v\n%pc = OpAccessChain %wg_u4 %wg %l %c_2\n%c = OpLoad %u4 %pc\n"
         "OpStore %pc %u2\n%all = OpLoad %u4x4 %p\n%w0 = OpBitcast %u16 %all\n"
         "%w1 = OpUConvert %u32 %w0\n%w2 = OpSConvert %u32 %back\n%w3 = OpSConvert %u32 %init\n"
         "%w4 = OpUConvert %u32 %c\n%t1 = OpIAdd %u32 %w1 %w2\n%t2 = OpIAdd %u32 %t1 %w3\n"
         "%r = OpIAdd %u32 %t2 %w4\n",
         "",
         {},
         "",
         {"%pv", "%wg"}},
        // From a component to a scalar, a scalar to a component, one component to another.
        {"ComponentCopies",
         "%fn_v = OpTypePointer Function %s4x8\n%fn_s4 = OpTypePointer Function %s4\n",
         "%var_v = OpVariable %fn_v Function\n%var_s = OpVariable %fn_s4 Function %n7\n"
         "%v = OpBitcast %s4x8 %x\nOpStore %var_v %v\n%k7 = OpBitwiseAnd %u32 %x %c_7\n"
         "%p1 = OpAccessChain %fn_s4 %var_v %c_1\n%q1 = OpCopyObject %fn_s4 %p1\n"
         "OpCopyMemory %q1 %var_s\n%pk = OpAccessChain %fn_s4 %var_v %k7\n"
         "OpCopyMemory %var_s %pk\n%p3 = OpAccessChain %fn_s4 %var_v %c_3\n"
         "OpCopyMemory %p3 %pk\n%all = OpLoad %s4x8 %var_v\n%one = OpLoad %s4 %var_s\n"
         "%w = OpBitcast %u32 %all\n%o = OpSConvert %u32 %one\n%r = OpIAdd %u32 %w %o\n"},
        // With memory operands: one set for both sides, one for each; to and from a buffer.
        {"OrderedCopies",
         "%arr8 = OpTypeRuntimeArray %u4x8\n%block8 = OpTypeStruct %arr8\n"
         "%sb_block8 = OpTypePointer StorageBuffer %block8\n"
         "%sb_u4 = OpTypePointer StorageBuffer %u4\n%fn_u4 = OpTypePointer Function %u4\n"
         "%in8 = OpVariable %sb_block8 StorageBuffer\n%out8 = OpVariable %sb_block8 "
         "StorageBuffer\n",
         "%var_s = OpVariable %fn_u4 Function\n%k7 = OpBitwiseAnd %u32 %x %c_7\n"
         "%po = OpAccessChain %sb_u32 %out %c_0 %i\nOpStore %po %x\n"
         "%pi = OpAccessChain %sb_u4 %in8 %c_0 %i %k7\n%p1 = OpAccessChain %sb_u4 %out8 %c_0 %i "
         "%c_1\n"
         "%p4 = OpAccessChain %sb_u4 %out8 %c_0 %i %c_4\n"
         "OpCopyMemory %var_s %pi Volatile\nOpCopyMemory %p1 %var_s Volatile|Aligned 1\n"
         "OpCopyMemory %p4 %pi NonPrivatePointer|MakePointerAvailable %c_5 "
         "NonPrivatePointer|MakePointerVisible %c_5\n",
         "",
         {},
         "OpDecorate %arr8 ArrayStride 4\nOpDecorate %block8 Block\n"
         "OpMemberDecorate %block8 0 Offset 0\nOpDecorate %in8 DescriptorSet 0\n"
         "OpDecorate %in8 Binding 0\nOpDecorate %out8 DescriptorSet 0\n"
         "OpDecorate %out8 Binding 1\nOpDecorate %out8 Aliased\nOpDecorate %out Aliased\n",
         {"%in8", "%out8"}},
        // Functions take pointers to whole variables.
        {"PointersToVariables",
         "%fn_s4 = OpTypePointer Function %s4\n%fn_v = OpTypePointer Function %u4x8\n"
         "%fn_u4 = OpTypePointer Function %u4\n%changer_type = OpTypeFunction %void %fn_s4 %fn_v\n",
         "%var_s = OpVariable %fn_s4 Function\n%var_v = OpVariable %fn_v Function\n"
         "%e = OpSConvert %s4 %x\nOpStore %var_s %e\n%v = OpBitcast %u4x8 %x\nOpStore %var_v %v\n"
         "%done = OpFunctionCall %void %changer %var_s %var_v\n%s = OpLoad %s4 %var_s\n"
         "%w = OpLoad %u4x8 %var_v\n%a = OpSConvert %u32 %s\n%b = OpBitcast %u32 %w\n"
         "%r = OpIAdd %u32 %a %b\n",
         "%changer = OpFunction %void None %changer_type\n%fs = OpFunctionParameter %fn_s4\n"
         "%fv = OpFunctionParameter %fn_v\n%fl = OpLabel\n%f5 = OpAccessChain %fn_u4 %fv %c_5\n"
         "%f2 = OpAccessChain %fn_u4 %fv %c_2\n%l5 = OpLoad %u4 %f5\n%ls = OpLoad %s4 %fs\n"
         "%b5 = OpBitcast %s4 %l5\n%bs = OpBitcast %u4 %ls\nOpStore %fs %b5\nOpStore %f2 %bs\n"
         "OpReturn\nOpFunctionEnd\n"},
        // Three components in Private memory, their number's index and an array's length in 4 bits.
        {"OddVectors",
         "%five = OpConstant %u4 5\n%k3 = OpConstantComposite %s4x3 %n7 %p5 %n1\n"
         "%arr = OpTypeArray %s4x3 %five\n%kk = OpConstantComposite %arr %k3 %k3 %k3 %k3 %k3\n"
         "%pv_arr = OpTypePointer Private %arr\n%pv_s4 = OpTypePointer Private %s4\n"
         "%pv_3 = OpTypePointer Private %s4x3\n%pv = OpVariable %pv_arr Private %kk\n",
         "%k5 = OpUMod %u32 %x %c_5\n%k = OpUConvert %u4 %k5\n%e = OpSConvert %s4 %x\n"
         "%p = OpAccessChain %pv_s4 %pv %k %u2\nOpStore %p %e\n%p3 = OpAccessChain %pv_3 %pv %k\n"
         "%v = OpLoad %s4x3 %p3\n%w = OpSConvert %s32x3 %v\n%a = OpCompositeExtract %s32 %w 0\n"
         "%b = OpCompositeExtract %s32 %w 1\n%c = OpCompositeExtract %s32 %w 2\n"
         "%b2 = OpIMul %s32 %b %c_32\n%c2 = OpIMul %s32 %c %c_64\n%t = OpIAdd %s32 %a %b2\n"
         "%r = OpIAdd %u32 %t %c2\n",
         "",
         {},
         "",
         {"%pv"}},
    };
    return list;
}

INSTANTIATE_INT4_CASES(Int4Memory, inMemory);

}  // namespace
}  // namespace coopvk::test::int4_memory_test
