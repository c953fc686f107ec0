// SPDX-License-Identifier: Apache-2.0
//
// 4-bit integers out of other numbers and back.
#include <gtest/gtest.h>

#include <bit>

#include "harness/int4_case.hpp"

namespace coopvk::test {
namespace {

using int4::s;
using int4::u;

uint32_t asBits(float value) { return std::bit_cast<uint32_t>(value); }

const Int4Cases& casts() {
    static const Int4Cases list = {
        // Scalars out of 32 bits and back.
        {"ScalarSigned", "", "%a = OpSConvert %s4 %x\n%r = OpSConvert %u32 %a\n",
         [](uint32_t x) { return static_cast<uint32_t>(s(x, 0)); }},
        {"ScalarUnsigned", "", "%a = OpUConvert %u4 %x\n%r = OpUConvert %u32 %a\n",
         [](uint32_t x) { return u(x, 0); }},
        {"ScalarOtherSign", "",
         "%a = OpSConvert %s4 %x\n%b = OpUConvert %u32 %a\n%c = OpUConvert %u4 %x\n"
         "%d = OpSConvert %u32 %c\n%e = OpIMul %u32 %d %c_64\n%r = OpIAdd %u32 %b %e\n",
         [](uint32_t x) { return u(x, 0) + static_cast<uint32_t>(s(x, 0)) * 64; }},
        {"BitcastScalars", "",
         "%a = OpSConvert %s4 %x\n%b = OpBitcast %u4 %a\n%c = OpUConvert %u32 %b\n"
         "%d = OpBitcast %s4 %b\n%e = OpSConvert %u32 %d\n%f = OpIMul %u32 %e %c_32\n"
         "%r = OpIAdd %u32 %c %f\n",
         [](uint32_t x) { return u(x, 0) + static_cast<uint32_t>(s(x, 0)) * 32; }},
        // Other widths.
        {"Bytes", "",
         "%a = OpUConvert %u8 %x\n%b = OpSConvert %s4 %a\n%c = OpSConvert %s8 %b\n"
         "%d = OpSConvert %u32 %c\n%e = OpBitcast %u4 %b\n%f = OpUConvert %u8 %e\n"
         "%g2 = OpUConvert %u32 %f\n%h = OpIMul %u32 %g2 %c_64\n%r = OpIAdd %u32 %d %h\n",
         [](uint32_t x) { return static_cast<uint32_t>(s(x, 0)) + u(x, 0) * 64; }},
        {"Shorts", "",
         "%a = OpUConvert %u16 %x\n%b = OpSConvert %s4 %a\n%c = OpSConvert %s16 %b\n"
         "%d = OpSConvert %u32 %c\n%e = OpUConvert %u4 %a\n%f = OpUConvert %u16 %e\n"
         "%g2 = OpUConvert %u32 %f\n%h = OpIMul %u32 %g2 %c_64\n%r = OpIAdd %u32 %d %h\n",
         [](uint32_t x) { return static_cast<uint32_t>(s(x, 0)) + u(x, 0) * 64; }},
        {"Longs",
         "",
         "%a = OpUConvert %u64 %x\n%b = OpSConvert %s4 %a\n%c = OpSConvert %s64 %b\n"
         "%c2 = OpBitcast %u32x2 %c\n%low = OpCompositeExtract %u32 %c2 0\n"
         "%high = OpCompositeExtract %u32 %c2 1\n%e = OpUConvert %u4 %a\n"
         "%f = OpUConvert %u64 %e\n%g2 = OpUConvert %u32 %f\n%h = OpIMul %u32 %g2 %c_64\n"
         "%k = OpBitwiseXor %u32 %low %high\n%r = OpIAdd %u32 %k %h\n",
         [](uint32_t x) {
             const auto low = static_cast<uint32_t>(s(x, 0));
             return u(x, 0) * 64 + (s(x, 0) < 0 ? ~low : low);
         },
         "",
         {},
         "",
         {},
         {},
         Requirement::kInt64},
        {"ToFloats", "",
         "%a = OpSConvert %s4 %x\n%b = OpConvertSToF %f32 %a\n%c = OpUConvert %u4 %x\n"
         "%d = OpConvertUToF %f32 %c\n%half = OpConvertSToF %f16 %a\n"
         "%e = OpFConvert %f32 %half\n%f = OpFMul %f32 %d %e\n%h = OpFAdd %f32 %f %b\n"
         "%r = OpBitcast %u32 %h\n",
         [](uint32_t x) {
             return asBits(static_cast<float>(u(x, 0)) * static_cast<float>(s(x, 0)) +
                           static_cast<float>(s(x, 0)));
         }},
        {"FromFloats", "%fh = OpConstant %f32 0.5\n",
         "%a = OpBitwiseAnd %u32 %x %c_7\n%b = OpConvertUToF %f32 %a\n%c = OpFAdd %f32 %b %fh\n"
         "%d = OpFNegate %f32 %c\n%e = OpConvertFToU %u4 %c\n%f = OpConvertFToS %s4 %d\n"
         "%h = OpUConvert %u32 %e\n%k = OpSConvert %u32 %f\n%m = OpIMul %u32 %k %c_64\n"
         "%r = OpIAdd %u32 %h %m\n",
         [](uint32_t x) { return (x & 7) - (x & 7) * 64; }},
        {"WidthsTogether", "",
         "%a = OpBitcast %s4x8 %x\n%b = OpVectorShuffle %s4x4 %a %a 7 5 3 1\n"
         "%c = OpSConvert %s32x4 %b\n%d = OpConvertSToF %f32x4 %b\n"
         "%e = OpConvertFToS %s4x4 %d\n%f = OpSConvert %s4x4 %c\n%h = OpBitcast %u16 %e\n"
         "%k = OpBitcast %u16 %f\n%m = OpUConvert %u32 %h\n%n = OpUConvert %u32 %k\n"
         "%o = OpIMul %u32 %n %c_2\n%r = OpIAdd %u32 %m %o\n",
         [](uint32_t x) {
             const uint32_t v = u(x, 7) | u(x, 5) << 4 | u(x, 3) << 8 | u(x, 1) << 12;
             return v * 3;
         }},
        // Bitcasts of whole vectors.
        {"BitcastWord", "",
         "%a = OpBitcast %s4x8 %x\n%b = OpBitcast %f32 %a\n%c = OpBitcast %u4x8 %b\n"
         "%d = OpBitcast %u8x4 %c\n%e = OpBitcast %s4x8 %d\n%f = OpBitcast %u16x2 %e\n"
         "%h = OpBitcast %u4x8 %f\n%r = OpBitcast %u32 %h\n",
         [](uint32_t x) { return x; }},
        {"BitcastSmall", "",
         "%a = OpUConvert %u8 %x\n%b = OpBitcast %u4x2 %a\n%c = OpCompositeExtract %u4 %b 0\n"
         "%d = OpCompositeExtract %u4 %b 1\n%e = OpCompositeConstruct %u4x4 %d %c %b\n"
         "%f = OpBitcast %f16 %e\n%h = OpBitcast %u16 %f\n%r = OpUConvert %u32 %h\n",
         [](uint32_t x) { return u(x, 1) | u(x, 0) << 4 | u(x, 0) << 8 | u(x, 1) << 12; }},
        {"BitcastSixteen", "",
         "%y = OpNot %u32 %x\n%p = OpCompositeConstruct %u32x2 %x %y\n%a = OpBitcast %u4x16 %p\n"
         "%b = OpCompositeExtract %u4 %a 3\n%c = OpCompositeExtract %u4 %a 13\n"
         "%d = OpCompositeInsert %u4x16 %b %a 8\n%e = OpVectorInsertDynamic %u4x16 %d %c %c_1\n"
         "%q = OpBitcast %u32x2 %e\n%q0 = OpCompositeExtract %u32 %q 0\n"
         "%q1 = OpCompositeExtract %u32 %q 1\n%r = OpBitwiseXor %u32 %q0 %q1\n",
         [](uint32_t x) {
             const uint32_t low = (x & ~0xF0u) | (u(~x, 5) << 4);
             const uint32_t high = (~x & ~0xFu) | u(x, 3);
             return low ^ high;
         }},
        {"BitcastLong",
         "",
         "%y = OpNot %u32 %x\n%p = OpCompositeConstruct %u32x2 %x %y\n%a = OpBitcast %u64 %p\n"
         "%b = OpBitcast %u4x16 %a\n%c = OpCompositeExtract %u4 %b 15\n%r = OpUConvert %u32 %c\n",
         [](uint32_t x) { return u(~x, 7); },
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
}  // namespace coopvk::test
