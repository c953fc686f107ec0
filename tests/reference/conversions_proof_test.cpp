// SPDX-License-Identifier: Apache-2.0
//
// Proofs of code that converts. Those that are no proofs are attempts at false claims.
#include <gtest/gtest.h>

#include "coopvk_reference/symbols.hpp"
#include "symbol_pairs.hpp"

namespace coopvk::reference::symbols_test {
namespace {

using numbers::Number;

// E4M3 by integers; each claim changes one constant or operation.
#define NARROW(TINY, UP, MOST, NAN, SIGN)                                            \
    "uint narrow(float x) { const uint w = floatBitsToUint(x), m = w & 0x7FFFFFFF; " \
    "const uint s = min(141 - (m >> 23), 25), n = m & 0x7FFFFF | 0x800000; "         \
    "const uint tiny = (n + ((1 << (s - 1)) - 1) + " TINY                            \
    ") >> s; "                                                                       \
    "const uint big = ((m + " UP                                                     \
    ") >> 20) - 960; "                                                               \
    "const uint r = min(m < 0x3C800000 ? tiny : big, " MOST                          \
    "); "                                                                            \
    "return (m > 0x7F800000 ? " NAN " : r) | w >> 24 & " SIGN "; } "
#define WIDEN(UNIT, LEAST)                                                                  \
    "float widen(uint b) { const uint m = b & 0x7F; precise float units = float(m) * " UNIT \
    "; const uint r = m < " LEAST                                                           \
    " ? floatBitsToUint(units) : (m << 20) + 0x3C000000; "                                  \
    "return uintBitsToFloat((m > 0x7E ? 0x7F800000 | m << 20 : r) | (b & 0x80) << 24); } "
#define RIGHT_NARROW NARROW("(n >> s & 1)", "0x7FFFF + (m >> 20 & 1)", "0x7F", "0x7F", "0x80")
#define RIGHT_WIDEN WIDEN("0.001953125", "8")
#define OF(WHAT) "void main() { const uint at = gl_LocalInvocationIndex; results[at] = " WHAT "; }"
#define E4M3 OF("float(floate4m3_t(floats[at] * 1.1))")
#define CODE OF("widen(narrow(floats[at] * 1.1))")
#define E5M2_BYTE OF("float(uintBitsToFloate5m2EXT(uint8_t(words[at])))")
#define SAME_BYTE(WHAT)                                                 \
    "void main() { const uint at = gl_LocalInvocationIndex; "           \
    "floate5m2_t r = uintBitsToFloate5m2EXT(uint8_t(words[at])); " WHAT \
    " results[at] = float(r); }"

#define HALF_BITS(WHAT) "u = uint(float16BitsToUint16(" WHAT "));"
#define INFINITE "uintBitsToFloat(0x7F800000u)"
// The sample does not show what stands behind it.
#define RARE "const uint x = words[at].z == 77777u ? 1u : 0u; "
// 14 bits with a sign.
// A quotient or 0 becomes a half, by itself and in integers. EVEN: to even from the middle.
#define QUOTIENT(OF) "float x = c == 0.0 ? 0.0 : 1.0 / min(" OF ");"
#define HALF_IN_CODE(EVEN)                                                             \
    "const uint w = floatBitsToUint(x), m = w & 0x7FFFFFFFu, l = min(m, 0x47800000u);" \
    "uint n = m > 0x7F800000u ? 0x7E00u : m < 0x38800000u ? "                          \
    "floatBitsToUint(uintBitsToFloat(m) + 0.5) - 0x3F000000u : (l + 0xC8000FFFu" EVEN  \
    ") >> 13;"                                                                         \
    "g = uint16BitsToFloat16(uint16_t(n | (w >> 16 & 0x8000u)));"
#define TURNED                                                    \
    "const int s = bitfieldExtract(int(i), 0, 13) ^ 0xFFFFE000, " \
    "t = bitfieldExtract(int(j), 0, 13) ^ 0xFFFFE000; "

constexpr Pair kConversions[] = {
    {"to an 8-bit float and back", E4M3, RIGHT_NARROW RIGHT_WIDEN CODE, true},
    {"without ties to even", E4M3,
     NARROW("(n >> s & 1)", "0x80000", "0x7F", "0x7F", "0x80") RIGHT_WIDEN CODE, false},
    {"toward zero", E4M3, NARROW("(n >> s & 1)", "0", "0x7F", "0x7F", "0x80") RIGHT_WIDEN CODE,
     false},
    {"small numbers without ties to even", E4M3,
     NARROW("1", "0x7FFFF + (m >> 20 & 1)", "0x7F", "0x7F", "0x80") RIGHT_WIDEN CODE, false},
    {"to the largest number", E4M3,
     NARROW("(n >> s & 1)", "0x7FFFF + (m >> 20 & 1)", "0x7E", "0x7F", "0x80") RIGHT_WIDEN CODE,
     false},
    {"NaN as a number", E4M3,
     NARROW("(n >> s & 1)", "0x7FFFF + (m >> 20 & 1)", "0x7F", "0x7E", "0x80") RIGHT_WIDEN CODE,
     false},
    {"NaN of either sign", E4M3,
     NARROW("(n >> s & 1)", "0x7FFFF + (m >> 20 & 1)", "0x7F", "0xFF", "0x80") RIGHT_WIDEN CODE,
     true},
    {"without its sign", E4M3,
     NARROW("(n >> s & 1)", "0x7FFFF + (m >> 20 & 1)", "0x7F", "0x7F", "0x00") RIGHT_WIDEN CODE,
     false},
    {"another unit of small numbers", E4M3, RIGHT_NARROW WIDEN("0.00390625", "8") CODE, false},
    {"one small number less", E4M3, RIGHT_NARROW WIDEN("0.001953125", "7") CODE, false},
    {"another number before", E4M3, RIGHT_NARROW RIGHT_WIDEN OF("widen(narrow(floats[at] * 1.2))"),
     false},
    {"not rounded at all", E4M3, OF("floats[at] * 1.1"), false},
    {"rounded to another format", E4M3, OF("float(floate5m2_t(floats[at] * 1.1))"), false},
    {"rounded twice", E4M3, OF("float(floate4m3_t(float16_t(floats[at] * 1.1)))"), false},

    {"to an 8-bit float and to the same", E5M2_BYTE, SAME_BYTE("r = floate5m2_t(float(r));"), true},
    {"to the same 8-bit float without infinity", E5M2_BYTE,
     SAME_BYTE("saturatedConvertEXT(r, float(r));"), false},

    {"to bfloat16 by way of f32", OF("float(bfloat16_t(words[at]))"),
     OF("float(bfloat16_t(float(words[at])))"), true},
    {"to bfloat16 with a sign", OF("float(bfloat16_t(words[at]))"),
     OF("float(bfloat16_t(float(int(words[at]))))"), false},
    {"to bfloat16 and to f16", OF("float(bfloat16_t(words[at]))"),
     OF("float(float16_t(float(words[at])))"), false},

    // Numbers that the result's type lacks may become any bits, and no others.
    {"to an integer by way of f32", OF("uint(uintBitsToFloate4m3EXT(uint8_t(words[at])))"),
     RIGHT_WIDEN OF("uint(widen(words[at] & 0xFF))"), true, Number::u32},
    {"to an integer with one small number less",
     OF("uint(float(uintBitsToFloate4m3EXT(uint8_t(words[at]))) * 1024.0)"),
     WIDEN("0.001953125", "7") OF("uint(widen(words[at] & 0xFF) * 1024.0)"), false, Number::u32},
    {"to an integer and more", OF("uint(uintBitsToFloate4m3EXT(uint8_t(words[at])))"),
     RIGHT_WIDEN OF("uint(widen(words[at] & 0xFF) + 0.5)"), false, Number::u32},
    {"zero in place of any bits", OF("uint(uintBitsToFloate4m3EXT(uint8_t(words[at])))"),
     RIGHT_WIDEN OF("uint(mix(widen(words[at] & 0xFF), 0.0, widen(words[at] & 0xFF) < 0.0))"), true,
     Number::u32},
    {"bits that are made of any bits", OF("uint(uintBitsToFloate4m3EXT(uint8_t(words[at]))) | 1u"),
     RIGHT_WIDEN OF("mix(uint(widen(words[at] & 0xFF)) | 1u, 0u, isnan(widen(words[at] & 0xFF)))"),
     false, Number::u32},
    {"any bits on the wrong side",
     OF("uint(abs(float(uintBitsToFloate4m3EXT(uint8_t(words[at])))))"),
     RIGHT_WIDEN OF("uint(widen(words[at] & 0xFF))"), false, Number::u32},
    {"a product in f32", "f = h * k;", "f = float(float16_t(float(h) * float(k)));", true},
    {"a product in f32 the other way", "f = h * k;", "f = float(float16_t(float(k) * float(h)));",
     true},
    {"a product in f32 of three", "f = h * k * h;",
     "f = float(float16_t(float(h) * float(k) * float(h)));", false},
    {"a product in f32 of another", "f = h * k;", "f = float(float16_t(float(h) * a));", false},
    {"a product in f32 that is not rounded", "f = h * k;", "f = float(h) * float(k);", false},
    // A NaN that the native side makes has any bits.
    {"bits of a product in f32", "u = uint(float16BitsToUint16(h * k));",
     "u = uint(float16BitsToUint16(float16_t(float(h) * float(k))));", true, Number::u32},

    // fma() may round once or twice: what is the same in both ways, is proved.
    {"times one and less zero", "g = h;", "g = fma(h, float16_t(1.0), float16_t(-0.0));", true,
     Number::f16},
    {"times one and more zero", "g = h;", "g = fma(h, float16_t(1.0), float16_t(0.0));", false,
     Number::f16},
    {"a square less one", "q = h * h; q = q - float16_t(1.0);", "q = fma(h, h, float16_t(-1.0));",
     false, Number::f16},

    // What a conversion makes of NaN is any NaN.
    {"each NaN in place of one",
     "u = isnan(float(h)) ? 0x7FC00000u | (uint(float16BitsToUint16(h)) & 0x8000u) << 16 : "
     "floatBitsToUint(float(h));",
     "u = floatBitsToUint(float(h));", false, Number::u32},
    {"a payload of each NaN", "u = isnan(float(h)) ? 0u : 1u;",
     "u = (floatBitsToUint(float(h)) & 0x7FC00000u) == 0x7FC00000u ? 0u : 1u;", false, Number::u32},
    {"a payload of each NaN but one", "u = isnan(float(h)) ? 0u : 1u;",
     "u = (floatBitsToUint(float(h)) & 0x7FFFFFFFu) > 0x7F800001u ? 0u : 1u;", false, Number::u32},
    {"each NaN by its bits", "u = isnan(float(h)) ? 0u : 1u;",
     "u = ((floatBitsToUint(float(h)) & 0x7FFFFFFFu) > 0x7F800000u) ? 0u : 1u;", true, Number::u32},

    {"itself or false", "u = uint(i > j);", "u = uint(mix(false, i > j, i > j));", true,
     Number::u32},
    {"itself or true", "u = uint(i > j);", "u = uint(mix(true, i > j, i > j));", false,
     Number::u32},
    {"true or itself", "u = uint(i > j);", "u = uint(mix(i > j, true, i > j));", true, Number::u32},
    {"a factor of low bits", "u = 0;", "u = ((i >> 7 & 1 | (j >> 7 & 1) << 16) * 0x7F00) >> 16;",
     false, Number::u32},
    {"zero times", "u = j;", "u = j + i * 0;", true, Number::u32},
    {"zero times of a float", "p = a;", "p = a + b * 0.0;", false},
    {"to f32 and back as f16", HALF_BITS("h"), HALF_BITS("float16_t(float(h))"), true, Number::f16},
    {"to f32 and back as bfloat16", HALF_BITS("h"), HALF_BITS("float16_t(float(h))"), false,
     Number::bf16},
    {"infinity and a number", "f = uintBitsToFloat(0x7F000000u | (i & 0xFF)) + " INFINITE ";",
     "u = 0x7FC00000u + ((i & 0xFF) >> 1) + (i & 1 & i >> 1);", false, Number::u32},
    {"infinity and a number on the other side",
     "u = 0x7FC00000u + ((i & 0xFF) >> 1) + (i & 1 & i >> 1);",
     "f = uintBitsToFloat(0x7F000000u | (i & 0xFF)) + " INFINITE ";", false, Number::u32},
    {"opposite bits of a sum", "u = ~(i + j) * i;", "u = (-1 - i - j) * i;", true, Number::u32},
    {"opposite bits of a shifted sum", "u = (~(i + j) << 8) * i;", "u = ((-1 - i - j) * 256) * i;",
     true, Number::u32},
    {"one for minus one", RARE "u = ~(i + j) * x;", RARE "u = (1 - i - j) * x;", false,
     Number::u32},
    {"a sum for its opposite bits", RARE "u = ~(i + j) * x;", RARE "u = (i + j) * x;", false,
     Number::u32},
    {"a shifted sum for its opposite bits", RARE "u = (~(i + j) << 8) * x;",
     RARE "u = ((i + j) << 8) * x;", false, Number::u32},
    {"integers in f64", RARE "u = (i & 0xFFFFF) * (j & 0xFFF) * x;",
     RARE "u = uint(int(double(int(i & 0xFFFFF)) * double(int(j & 0x3FF)))) * x;", false,
     Number::u32},
    {"too large for the integer", RARE "u = (i & 0xFFFFF) * (j & 0xFFF) * x;",
     RARE "u = uint(int(double(int(i & 0xFFFFF)) * double(int(j & 0xFFF)))) * x;", false,
     Number::u32},
    {"as large as the integer", RARE "u = (i & 0xFFFFF) * (j & 0x3FF) * x;",
     RARE "u = uint(int(double(int(i & 0xFFFFF)) * double(int(j & 0x3FF)))) * x;", true,
     Number::u32},
    {"signs and other bits", RARE TURNED "u = uint(s * t) * x;",
     RARE TURNED "u = uint(int(float(s) * float(t))) * x;", false, Number::u32},
    {"a quotient as a half in code", QUOTIENT("a, b") "g = float16_t(x);",
     QUOTIENT("b, a") HALF_IN_CODE(" + (l >> 13 & 1u)"), true, Number::f16},
    {"a quotient as a half that is not even", QUOTIENT("a, b") "g = float16_t(x);",
     QUOTIENT("b, a") HALF_IN_CODE(""), false, Number::f16},
    {"zeros in a sum", "f = dot(vec3(0.0, a, b), vec3(0.0, c, d));", "f = a * c + b * d;", true},
    {"zero times infinity in a sum", "f = dot(vec3(0.0, a, b), vec3(c, c, d));",
     "f = a * c + b * d;", false},
};

class ConversionProofs : public testing::TestWithParam<Pair> {};

TEST_P(ConversionProofs, AreProvedOrNot) {
    const std::string why = whyNot(GetParam());
    EXPECT_EQ(why.empty(), GetParam().isProved) << GetParam().name << ": " << why;
}

// A product with a positive number has the sign of the NaN, says no text; the proof does.
TEST(ConversionAssumptions, NameSignsOfNans) {
    constexpr auto kBits = "u = isnan(float(h)) ? uint(float16BitsToUint16(h)) >> 15 : 2u;";
    uint32_t assumptions = 0;
    EXPECT_EQ(whyNot({"", kBits, "u = isnan(float(h)) ? floatBitsToUint(float(h)) >> 31 : 2u;",
                      true, Number::u32},
                     &assumptions),
              "");
    EXPECT_EQ(assumptions & kNanSigns, kNanSigns);
    EXPECT_EQ(whyNot({"", kBits, kBits, true, Number::u32}, &assumptions), "");
    EXPECT_EQ(assumptions & kNanSigns, 0u);
}

INSTANTIATE_TEST_SUITE_P(All, ConversionProofs, testing::ValuesIn(kConversions),
                         [](const auto& of) { return wordOf(of.param.name); });

}  // namespace
}  // namespace coopvk::reference::symbols_test
