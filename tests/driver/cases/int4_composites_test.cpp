// SPDX-License-Identifier: Apache-2.0
//
// Vectors, structures and arrays of 4-bit integers; constants and functions.
#include <gtest/gtest.h>

#include "harness/int4_case.hpp"

namespace coopvk::test::int4_composites_test {
namespace {

const Int4Cases& composites() {
    static const Int4Cases list = {
        // Composites.
        {"ExtractEach", "",
         "%a = OpBitcast %s4x8 %x\n%e0 = OpCompositeExtract %s4 %a 0\n"
         "%e3 = OpCompositeExtract %s4 %a 3\n%e7 = OpCompositeExtract %s4 %a 7\n"
         "%w0 = OpSConvert %u32 %e0\n%w3 = OpSConvert %u32 %e3\n%w7 = OpSConvert %u32 %e7\n"
         "%m3 = OpIMul %u32 %w3 %c_33\n%m7 = OpIMul %u32 %w7 %c_64\n"
         "%t = OpIAdd %u32 %w0 %m3\n%r = OpIAdd %u32 %t %m7\n"},
        {"Dynamic", "",
         "%a = OpBitcast %s4x8 %x\n%k = OpBitwiseAnd %u32 %x %c_7\n"
         "%j = OpSConvert %s16 %k\n%e = OpVectorExtractDynamic %s4 %a %k\n"
         "%b = OpVectorInsertDynamic %s4x8 %a %n7 %j\n%c = OpBitcast %u32 %b\n"
         "%w = OpSConvert %u32 %e\n%r = OpBitwiseXor %u32 %c %w\n"},
        {"Shuffle", "",
         "%a = OpBitcast %u4x8 %x\n%y = OpNot %u32 %x\n%b = OpBitcast %u4x8 %y\n"
         "%c = OpVectorShuffle %u4x8 %a %b 15 0 14 1 13 2 12 3\n"
         "%d = OpVectorShuffle %u4x2 %c %a 0 9\n%e = OpVectorShuffle %u4x8 %d %c 1 0 2 3 4 5 6 7\n"
         "%r = OpBitcast %u32 %e\n"},
        {"ThreeComponents", "",
         "%a = OpBitcast %s4x8 %x\n%b = OpVectorShuffle %s4x3 %a %a 6 4 2\n"
         "%c = OpCompositeInsert %s4x3 %p5 %b 1\n%d = OpCompositeExtract %s4 %c 0\n"
         "%e = OpCompositeConstruct %s4x4 %c %d\n%f = OpBitcast %u16 %e\n"
         "%r = OpUConvert %u32 %f\n"},
        {"StructsAndArrays",
         "%pair = OpTypeStruct %s4 %u4x8\n%two = OpTypeArray %pair %c_2\n"
         "%deep = OpTypeStruct %two %s4\n",
         "%a = OpSConvert %s4 %x\n%b = OpBitcast %u4x8 %x\n%p = OpCompositeConstruct %pair %a %b\n"
         "%q = OpCompositeConstruct %two %p %p\n%d = OpCompositeConstruct %deep %q %n1\n"
         "%e = OpCompositeInsert %deep %u13 %d 0 1 1 5\n%f = OpCompositeExtract %u4 %e 0 1 1 5\n"
         "%h = OpCompositeExtract %u4x8 %e 0 1 1\n%k = OpCompositeExtract %s4 %e 1\n"
         "%m = OpBitcast %u32 %h\n%n = OpUConvert %u32 %f\n%o = OpSConvert %u32 %k\n"
         "%t = OpIAdd %u32 %m %n\n%r = OpIAdd %u32 %t %o\n"},
        {"SelectAndPhi", "",
         "%a = OpBitcast %u4x8 %x\n%y = OpNot %u32 %x\n%b = OpBitcast %u4x8 %y\n"
         "%k = OpBitwiseAnd %u32 %x %c_1\n%odd = OpINotEqual %bool %k %c_0\n"
         "%c = OpSelect %u4x8 %odd %a %b\nOpSelectionMerge %join None\n"
         "OpBranchConditional %odd %yes %no\n%yes = OpLabel\n%e1 = OpCompositeExtract %u4 %c 2\n"
         "OpBranch %join\n%no = OpLabel\n%e2 = OpCompositeExtract %u4 %c 5\nOpBranch %join\n"
         "%join = OpLabel\n%e = OpPhi %u4 %e1 %yes %e2 %no\n%f = OpUConvert %u32 %e\n"
         "%h = OpBitcast %u32 %c\n%o = OpCopyObject %u4x8 %c\n%o2 = OpBitcast %u32 %o\n"
         "%t = OpIMul %u32 %o2 %c_2\n%t2 = OpIAdd %u32 %t %h\n%r = OpIAdd %u32 %f %t2\n"},
        {"SelectEach", "%zero2 = OpConstantComposite %u32x2 %c_0 %c_0\n",
         "%a = OpUConvert %u8 %x\n%b = OpBitcast %u4x2 %a\n%k = OpBitwiseAnd %u32 %x %c_32\n"
         "%k2 = OpBitwiseAnd %u32 %x %c_1\n%kk = OpCompositeConstruct %u32x2 %k %k2\n"
         "%q = OpINotEqual %boolx2 %kk %zero2\n%c = OpVectorShuffle %u4x2 %b %b 1 0\n"
         "%t = OpSelect %u4x2 %q %b %c\n%t8 = OpBitcast %u8 %t\n%r = OpUConvert %u32 %t8\n"},
        {"Functions",
         "%fn_type = OpTypeFunction %s4 %s4 %u4x8\n%fn_type2 = OpTypeFunction %s8 %s8 %u32\n",
         "%a = OpSConvert %s4 %x\n%b = OpBitcast %u4x8 %x\n%c = OpFunctionCall %s4 %pick %a %b\n"
         "%b8 = OpSConvert %s8 %x\n%c8 = OpFunctionCall %s8 %pick8 %b8 %x\n"
         "%d8 = OpSConvert %u32 %c8\n%d = OpSConvert %u32 %c\n%r = OpBitwiseXor %u32 %d %d8\n",
         "%pick = OpFunction %s4 None %fn_type\n%pa = OpFunctionParameter %s4\n"
         "%pb = OpFunctionParameter %u4x8\n%pl = OpLabel\n%pe = OpCompositeExtract %u4 %pb 6\n"
         "%pc = OpBitcast %s4 %pe\nOpReturnValue %pc\nOpFunctionEnd\n"
         "%pick8 = OpFunction %s8 None %fn_type2\n%qa = OpFunctionParameter %s8\n"
         "%qb = OpFunctionParameter %u32\n%ql = OpLabel\nOpReturnValue %qa\nOpFunctionEnd\n"},
        {"Constants",
         "%v = OpConstantComposite %s4x8 %n7 %n1 %p5 %n7 %p5 %n1 %n1 %p5\n"
         "%null = OpConstantNull %u4x8\n%none = OpUndef %u4\n"
         "%w = OpConstantComposite %u4x16 %u13 %u2 %u2 %u2 %u2 %u2 %u2 %u2 %u2 %u2 %u2 %u2 %u2 %u2 "
         "%u2 %u13\n%arr = OpTypeArray %s4 %c_3\n%carr = OpConstantComposite %arr %n7 %p5 %n1\n",
         "%a = OpBitcast %u32 %v\n%b = OpCompositeInsert %u4x8 %u13 %null 2\n"
         "%c = OpBitcast %u32 %b\n%d = OpCompositeExtract %s4 %carr 1\n%e = OpSConvert %u32 %d\n"
         "%f = OpCompositeExtract %u4 %w 15\n%h = OpUConvert %u32 %f\n%k = OpBitwiseXor %u32 %a "
         "%x\n"
         "%m = OpIAdd %u32 %k %c\n%n = OpIAdd %u32 %m %e\n%r = OpIAdd %u32 %n %h\n"},
        {"SpecConstants",
         "%sa = OpSpecConstant %s4 -3\n%sb = OpSpecConstant %u4 6\n%sd = OpSpecConstant %u4 1\n"
         "%sv = OpSpecConstantComposite %u4x4 %sb %sd %u13 %sb\n"
         "%so = OpSpecConstantOp %u32 UConvert %sb\n%se = OpSpecConstantOp %u4 CompositeExtract "
         "%sv 2\n"
         "%sw = OpSpecConstantOp %s32 SConvert %sa\n"
         "%si = OpSpecConstantOp %u4x4 CompositeInsert %sd %sv 3\n"
         "%ss = OpSpecConstantOp %u4x2 VectorShuffle %si %sv 3 4\n",
         "%a = OpSConvert %u32 %sa\n%b = OpBitcast %u16 %sv\n%c = OpUConvert %u32 %b\n"
         "%d = OpIMul %u32 %c %c_16\n%e = OpIAdd %u32 %a %d\n%f = OpIAdd %u32 %e %so\n"
         "%h = OpUConvert %u32 %se\n%k = OpIAdd %u32 %f %h\n%m = OpBitcast %u32 %sw\n"
         "%n = OpIAdd %u32 %m %x\n%s8v = OpBitcast %u8 %ss\n%s32v = OpUConvert %u32 %s8v\n"
         "%o = OpIAdd %u32 %n %s32v\n%r = OpIAdd %u32 %k %o\n",
         "",
         {},
         "OpDecorate %sb SpecId 11\nOpDecorate %sd SpecId 12\n",
         {},
         {{11, 9, 1}}},
    };
    return list;
}

INSTANTIATE_INT4_CASES(Int4Composites, composites);

}  // namespace
}  // namespace coopvk::test::int4_composites_test
