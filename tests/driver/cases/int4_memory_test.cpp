// SPDX-License-Identifier: Apache-2.0
//
// 4-bit integers in memory of every kind.
#include <gtest/gtest.h>

#include "harness/int4_case.hpp"

namespace coopvk::test {
namespace {

using int4::s;
using int4::u;

const Int4Cases& inMemory() {
    static const Int4Cases list = {
        // Memory.
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
         "%r = OpIAdd %u32 %t2 %w4\n",
         [](uint32_t x) {
             const uint32_t all = (x & ~0xF000u) | 13u << 12;
             return all + static_cast<uint32_t>(s(x, 0)) - 7 + u(all, x & 7);
         }},
        {"PrivateAndWorkgroup",
         "%pv_s4 = OpTypePointer Private %s4\n%pv = OpVariable %pv_s4 Private %n1\n"
         "%arr = OpTypeArray %u4x4 %c_64\n%wg_arr = OpTypePointer Workgroup %arr\n"
         "%wg_v = OpTypePointer Workgroup %u4x4\n%wg_u4 = OpTypePointer Workgroup %u4\n"
         "%wg = OpVariable %wg_arr Workgroup\n",
         "%init = OpLoad %s4 %pv\n%e = OpSConvert %s4 %x\nOpStore %pv %e\n%back = OpLoad %s4 %pv\n"
         "%h = OpUConvert %u16 %x\n%v = OpBitcast %u4x4 %h\n%p = OpAccessChain %wg_v %wg %l\n"
         "OpStore %p %v\n%pc = OpAccessChain %wg_u4 %wg %l %c_2\n%c = OpLoad %u4 %pc\n"
         "OpStore %pc %u2\n%all = OpLoad %u4x4 %p\n%w0 = OpBitcast %u16 %all\n"
         "%w1 = OpUConvert %u32 %w0\n%w2 = OpSConvert %u32 %back\n%w3 = OpSConvert %u32 %init\n"
         "%w4 = OpUConvert %u32 %c\n%t1 = OpIAdd %u32 %w1 %w2\n%t2 = OpIAdd %u32 %t1 %w3\n"
         "%r = OpIAdd %u32 %t2 %w4\n",
         [](uint32_t x) {
             return ((x & 0xF0FFu) | 2u << 8) + static_cast<uint32_t>(s(x, 0)) - 1 + u(x, 2);
         },
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
         "%w = OpBitcast %u32 %all\n%o = OpSConvert %u32 %one\n%r = OpIAdd %u32 %w %o\n",
         [](uint32_t x) {
             const uint32_t all = (x & ~0xF0u) | 9u << 4;
             const uint32_t third = (all & ~0xF000u) | u(all, x & 7) << 12;
             return third + static_cast<uint32_t>(s(all, x & 7));
         }},
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
         [](uint32_t x) {
             const uint32_t k = u(x, x & 7);
             return (x & ~0xF00F0u) | k << 4 | k << 16;
         },
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
         [](uint32_t x) { return static_cast<uint32_t>(s(x, 5)) + ((x & ~0xF00u) | u(x, 0) << 8); },
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
         [](uint32_t x) { return static_cast<uint32_t>(-7 + 5 * 32 + s(x, 0) * 64); },
         "",
         {},
         "",
         {"%pv"}},
        {"PushConstants",
         "%inner = OpTypeStruct %u4x2 %u4x4\n%arr = OpTypeArray %u4x8 %c_2\n"
         "%block = OpTypeStruct %inner %s4x8 %arr\n%pc_block = OpTypePointer PushConstant %block\n"
         "%pc_2 = OpTypePointer PushConstant %u4x2\n%pc_4 = OpTypePointer PushConstant %u4x4\n"
         "%pc_s8 = OpTypePointer PushConstant %s4x8\n%pc_8 = OpTypePointer PushConstant %u4x8\n"
         "%pc_s = OpTypePointer PushConstant %s4\n%push = OpVariable %pc_block PushConstant\n",
         "%p2 = OpAccessChain %pc_2 %push %c_0 %c_0\n%p4 = OpAccessChain %pc_4 %push %c_0 %c_1\n"
         "%ps = OpAccessChain %pc_s8 %push %c_1\n%k = OpBitwiseAnd %u32 %x %c_1\n"
         "%p8 = OpAccessChain %pc_8 %push %c_2 %k\n%k7 = OpBitwiseAnd %u32 %x %c_7\n"
         "%p1 = OpAccessChain %pc_s %push %c_1 %k7\n%v2 = OpLoad %u4x2 %p2\n"
         "%v4 = OpLoad %u4x4 %p4\n%vs = OpLoad %s4x8 %ps\n%v8 = OpLoad %u4x8 %p8\n"
         "%v1 = OpLoad %s4 %p1\n%e = OpCompositeExtract %u4 %v2 1\n%w2 = OpUConvert %u32 %e\n"
         "%e4 = OpBitcast %u16 %v4\n%w4 = OpUConvert %u32 %e4\n%ws = OpBitcast %u32 %vs\n"
         "%w8 = OpBitcast %u32 %v8\n%w1 = OpSConvert %u32 %v1\n%t1 = OpIAdd %u32 %w2 %w4\n"
         "%t2 = OpIAdd %u32 %ws %w8\n%t3 = OpIAdd %u32 %t1 %t2\n%r = OpIAdd %u32 %t3 %w1\n",
         [](uint32_t x) {
             const uint32_t a = 0x76543210, b = 0xFEDCBA98;
             const uint32_t c[] = {0x1A2B3C4D, 0x5E6F7081};
             return u(a, 1) + (a >> 16) + b + c[x & 1] + static_cast<uint32_t>(s(b, x & 7));
         },
         "",
         {},
         "OpDecorate %block Block\nOpMemberDecorate %inner 0 Offset 0\n"
         "OpMemberDecorate %inner 1 Offset 2\nOpMemberDecorate %block 0 Offset 0\n"
         "OpMemberDecorate %block 1 Offset 4\nOpMemberDecorate %block 2 Offset 8\n"
         "OpDecorate %arr ArrayStride 4\n",
         {"%push"}},
        // Two views of one binding: words as vectors of eight, and as structures of small ones.
        {"StorageBuffers",
         "%arr8 = OpTypeRuntimeArray %s4x8\n%block8 = OpTypeStruct %arr8\n"
         "%small = OpTypeStruct %u4x2 %u4x2 %u4x4\n%arrs = OpTypeRuntimeArray %small\n"
         "%blocks = OpTypeStruct %arrs\n%sb_block8 = OpTypePointer StorageBuffer %block8\n"
         "%sb_blocks = OpTypePointer StorageBuffer %blocks\n%sb_8 = OpTypePointer StorageBuffer "
         "%s4x8\n"
         "%sb_s4 = OpTypePointer StorageBuffer %s4\n%sb_2 = OpTypePointer StorageBuffer %u4x2\n"
         "%sb_4 = OpTypePointer StorageBuffer %u4x4\n%sb_u4 = OpTypePointer StorageBuffer %u4\n"
         "%in8 = OpVariable %sb_block8 StorageBuffer\n%out4 = OpVariable %sb_blocks "
         "StorageBuffer\n",
         "%p8 = OpAccessChain %sb_8 %in8 %c_0 %i\n%v = OpLoad %s4x8 %p8\n"
         "%k7 = OpBitwiseAnd %u32 %x %c_7\n%pd = OpAccessChain %sb_s4 %in8 %c_0 %i %k7\n"
         "%d = OpLoad %s4 %pd\n%du = OpBitcast %u4 %d\n%e0 = OpCompositeExtract %s4 %v 0\n"
         "%e5 = OpCompositeExtract %s4 %v 5\n%s2 = OpCompositeConstruct %s4x2 %e0 %e5\n"
         "%u2v = OpBitcast %u4x2 %s2\n%q4 = OpVectorShuffle %u4x4 %u2v %u2v 1 1 0 0\n"
         "%m0 = OpAccessChain %sb_2 %out4 %c_0 %i %c_0\nOpStore %m0 %u2v\n"
         "%m1 = OpAccessChain %sb_2 %out4 %c_0 %i %c_1\nOpStore %m1 %u2v\n"
         "%m1b = OpAccessChain %sb_u4 %out4 %c_0 %i %c_1 %c_1\nOpStore %m1b %du\n"
         "%m2 = OpAccessChain %sb_4 %out4 %c_0 %i %c_2\nOpStore %m2 %q4\n"
         "%k3 = OpBitwiseAnd %u32 %x %c_3\n%m2d = OpAccessChain %sb_u4 %m2 %k3\n"
         "OpStore %m2d %u13\n",
         [](uint32_t x) {
             const uint32_t two = u(x, 0) | u(x, 5) << 4;
             uint32_t four = u(x, 5) | u(x, 5) << 4 | u(x, 0) << 8 | u(x, 0) << 12;
             four = (four & ~(15u << 4 * (x & 3))) | 13u << 4 * (x & 3);
             return two | (u(x, 0) | u(x, x & 7) << 4) << 8 | four << 16;
         },
         "",
         {},
         "OpDecorate %arr8 ArrayStride 4\nOpDecorate %block8 Block\n"
         "OpMemberDecorate %block8 0 Offset 0\nOpDecorate %in8 DescriptorSet 0\n"
         "OpDecorate %in8 Binding 0\nOpMemberDecorate %small 0 Offset 0\n"
         "OpMemberDecorate %small 1 Offset 1\nOpMemberDecorate %small 2 Offset 2\n"
         "OpDecorate %arrs ArrayStride 4\nOpDecorate %blocks Block\n"
         "OpMemberDecorate %blocks 0 Offset 0\nOpDecorate %out4 DescriptorSet 0\n"
         "OpDecorate %out4 Binding 1\n",
         {"%in8", "%out4"}},
        // Sixteen components are two of the input's words.
        {"StorageBufferSixteen",
         "%arr16 = OpTypeRuntimeArray %u4x16\n%block16 = OpTypeStruct %arr16\n"
         "%sb_block16 = OpTypePointer StorageBuffer %block16\n"
         "%sb_16 = OpTypePointer StorageBuffer %u4x16\n%sb_u4 = OpTypePointer StorageBuffer %u4\n"
         "%in16 = OpVariable %sb_block16 StorageBuffer\n",
         "%half = OpShiftRightLogical %u32 %i %c_1\n%p16 = OpAccessChain %sb_16 %in16 %c_0 %half\n"
         "%v = OpLoad %u4x16 %p16\n%w = OpBitcast %u32x2 %v\n%odd = OpBitwiseAnd %u32 %i %c_1\n"
         "%mine = OpVectorExtractDynamic %u32 %w %odd\n%k7 = OpBitwiseAnd %u32 %x %c_7\n"
         "%o8 = OpIMul %u32 %odd %c_8\n%k = OpIAdd %u32 %o8 %k7\n"
         "%pd = OpAccessChain %sb_u4 %in16 %c_0 %half %k\n%d = OpLoad %u4 %pd\n"
         "%e = OpVectorExtractDynamic %u4 %v %k\n%d32 = OpUConvert %u32 %d\n"
         "%e32 = OpUConvert %u32 %e\n%t = OpIAdd %u32 %mine %d32\n%r = OpIAdd %u32 %t %e32\n",
         [](uint32_t x) { return x + 2 * u(x, x & 7); },
         "",
         {},
         "OpDecorate %arr16 ArrayStride 8\nOpDecorate %block16 Block\n"
         "OpMemberDecorate %block16 0 Offset 0\nOpDecorate %in16 DescriptorSet 0\n"
         "OpDecorate %in16 Binding 0\n",
         {"%in16"}},
        {"PhysicalPointers",
         "%arr8 = OpTypeRuntimeArray %u4x8\n%block8 = OpTypeStruct %arr8\n"
         "%ph_block = OpTypePointer PhysicalStorageBuffer %block8\n"
         "%ph_8 = OpTypePointer PhysicalStorageBuffer %u4x8\n"
         "%ph_u4 = OpTypePointer PhysicalStorageBuffer %u4\n%pushed = OpTypeStruct %ph_block\n"
         "%pc_pushed = OpTypePointer PushConstant %pushed\n"
         "%pc_ph = OpTypePointer PushConstant %ph_block\n%push = OpVariable %pc_pushed "
         "PushConstant\n",
         "%pp = OpAccessChain %pc_ph %push %c_0\n%base = OpLoad %ph_block %pp\n"
         "%p8 = OpAccessChain %ph_8 %base %c_0 %i\n%v = OpLoad %u4x8 %p8 Aligned 4\n"
         "%k7 = OpBitwiseAnd %u32 %x %c_7\n%pd = OpAccessChain %ph_u4 %base %c_0 %i %k7\n"
         "%d = OpLoad %u4 %pd Aligned 4\n%w = OpBitcast %u32 %v\n%d32 = OpUConvert %u32 %d\n"
         "%r = OpIAdd %u32 %w %d32\n",
         [](uint32_t x) { return x + u(x, x & 7); },
         "",
         {"PhysicalStorageBufferAddresses"},
         "OpDecorate %arr8 ArrayStride 4\nOpDecorate %block8 Block\n"
         "OpMemberDecorate %block8 0 Offset 0\nOpDecorate %pushed Block\n"
         "OpMemberDecorate %pushed 0 Offset 0\n",
         {"%push"}},
    };
    return list;
}

INSTANTIATE_INT4_CASES(Int4Memory, inMemory);

}  // namespace
}  // namespace coopvk::test
