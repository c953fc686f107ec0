// SPDX-License-Identifier: Apache-2.0
//
// 4-bit integers from other numbers and back, several in one shader, and bitcasts.
// int4_conversions_test.cpp tests the result of each conversion.
#include <gtest/gtest.h>

#include "harness/int4_case.hpp"

namespace coopvk::test::int4_casts_test {
namespace {

const Int4Cases& casts() {
    static const Int4Cases list = {
        // Scalars from 32 bits and back.
        {"ScalarSigned", "", "%a = OpSConvert %s4 %x\n%r = OpSConvert %u32 %a\n"},
        {"ScalarUnsigned", "", "%a = OpUConvert %u4 %x\n%r = OpUConvert %u32 %a\n"},
        {"ScalarOtherSign", "",
         "%a = OpSConvert %s4 %x\n%b = OpUConvert %u32 %a\n%c = OpUConvert %u4 %x\n"
         "%d = OpSConvert %u32 %c\n%e = OpIMul %u32 %d %c_64\n%r = OpIAdd %u32 %b %e\n"},
        {"BitcastScalars", "",
         "%a = OpSConvert %s4 %x\n%b = OpBitcast %u4 %a\n%c = OpUConvert %u32 %b\n"
         "%d = OpBitcast %s4 %b\n%e = OpSConvert %u32 %d\n%f = OpIMul %u32 %e %c_32\n"
         "%r = OpIAdd %u32 %c %f\n"},
        {"WidthsTogether", "",
         "%a = OpBitcast %s4x8 %x\n%b = OpVectorShuffle %s4x4 %a %a 7 5 3 1\n"
         "%c = OpSConvert %s32x4 %b\n%d = OpConvertSToF %f32x4 %b\n"
         "%e = OpConvertFToS %s4x4 %d\n%f = OpSConvert %s4x4 %c\n%h = OpBitcast %u16 %e\n"
         "%k = OpBitcast %u16 %f\n%m = OpUConvert %u32 %h\n%n = OpUConvert %u32 %k\n"
         "%o = OpIMul %u32 %n %c_2\n%r = OpIAdd %u32 %m %o\n"},
        // Bitcasts of whole vectors.
        {"BitcastWord", "",
         "%a = OpBitcast %s4x8 %x\n%b = OpBitcast %f32 %a\n%c = OpBitcast %u4x8 %b\n"
         "%d = OpBitcast %u8x4 %c\n%e = OpBitcast %s4x8 %d\n%f = OpBitcast %u16x2 %e\n"
         "%h = OpBitcast %u4x8 %f\n%r = OpBitcast %u32 %h\n"},
        {"BitcastSmall", "",
         "%a = OpUConvert %u8 %x\n%b = OpBitcast %u4x2 %a\n%c = OpCompositeExtract %u4 %b 0\n"
         "%d = OpCompositeExtract %u4 %b 1\n%e = OpCompositeConstruct %u4x4 %d %c %b\n"
         "%f = OpBitcast %f16 %e\n%h = OpBitcast %u16 %f\n%r = OpUConvert %u32 %h\n"},
        {"BitcastSixteen", "",
         "%y = OpNot %u32 %x\n%p = OpCompositeConstruct %u32x2 %x %y\n%a = OpBitcast %u4x16 %p\n"
         "%b = OpCompositeExtract %u4 %a 3\n%c = OpCompositeExtract %u4 %a 13\n"
         "%d = OpCompositeInsert %u4x16 %b %a 8\n%e = OpVectorInsertDynamic %u4x16 %d %c %c_1\n"
         "%q = OpBitcast %u32x2 %e\n%q0 = OpCompositeExtract %u32 %q 0\n"
         "%q1 = OpCompositeExtract %u32 %q 1\n%r = OpBitwiseXor %u32 %q0 %q1\n"},
        {"BitcastLong",
         "",
         "%y = OpNot %u32 %x\n%p = OpCompositeConstruct %u32x2 %x %y\n%a = OpBitcast %u64 %p\n"
         "%b = OpBitcast %u4x16 %a\n%c = OpCompositeExtract %u4 %b 15\n%r = OpUConvert %u32 %c\n",
         "",
         {},
         "",
         {},
         {},
         Requirement::kInt64},
    };
    return list;
}

INSTANTIATE_INT4_CASES(Int4Casts, casts);

}  // namespace
}  // namespace coopvk::test::int4_casts_test
