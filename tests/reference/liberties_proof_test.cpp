// SPDX-License-Identifier: Apache-2.0
//
// Proofs where decorations and modes leave devices more than an instruction's own text does, or
// where devices compute known numbers with other precision. Those that are no proofs are false
// claims.
#include <gtest/gtest.h>

#include "symbol_pairs.hpp"

namespace coopvk::reference::symbols_test {
namespace {

using numbers::Number;

#define CALL                                  \
    "float more(float x) { return x + 1.0; }" \
    "void main() { const uint at = gl_LocalInvocationIndex; results[at] = more(floats[at]); }"
#define SUM "precise float x = a + b; f = x;"
#define DOT "f = dot(vec2(a, b), vec2(c, d));"
#define STRICT_DOT "precise float x = dot(vec2(a, b), vec2(c, d)); f = x;"

#define KNOWN_DOUBLE "double t = double(gl_NumWorkGroups.x) + 0.1lf; "
#define LONG_SUM                                                                   \
    "double t = double(gl_NumWorkGroups.x), most = t * 9007199254740991.0lf; f = " \
    "float(dot(dvec4(most, t, t, t), dvec4(1.0lf)) - 9007199254740992.0lf);"
#define DOT_OF_PRODUCT "f = dot(vec2(a * b, c), vec2(d, a));"

#define SHARED_SUM                                                                       \
    "shared float s[4]; void main() { const uint at = gl_LocalInvocationIndex; s[at] = " \
    "floats[at] * floats[at + 4]; barrier(); results[at] = s[at ^ 1] + floats[at + 8]; }"
#define SHARED_FMA                                                                              \
    "void main() { const uint at = gl_LocalInvocationIndex; results[at] = fma(floats[at ^ 1], " \
    "floats[(at ^ 1) + 4], floats[at + 8]); }"
#define SHARED_BY(STORED, LOADED)                                                               \
    "shared float s[4]; void main() { const uint at = gl_LocalInvocationIndex; s[at] = " STORED \
    "; barrier(); results[at] = " LOADED "; }"
#define BY_ELEMENTS(OF)                                                                          \
    "shared float s[4]; float plus(const in uint row, const in uint column, const in float x) {" \
    "return s[" OF                                                                               \
    "] + x; } void main() { const uint at = gl_LocalInvocationIndex;"                            \
    "s[at] = floats[at] * floats[at + 4]; barrier(); M(float, 2, 2) m;"                          \
    "coopMatLoad(m, floats, 8, 2, gl_CooperativeMatrixLayoutRowMajor);"                          \
    "coopMatPerElementNV(m, m, plus);"                                                           \
    "coopMatStore(m, results, 0, 2, gl_CooperativeMatrixLayoutRowMajor); }"
#define OTHERS(OF) \
    "void main() { const uint at = gl_LocalInvocationIndex, n = at ^ 1; results[at] = " OF "; }"
#define OF_DOTS                                                                           \
    "void main() { const uint at = gl_LocalInvocationIndex, n = at / 2 * 2, m = at % 2; " \
    "results[at] = dot(vec2(floats[n], floats[n + 1]), vec2(floats[m], floats[m + 2])); }"
#define OF_MATRICES                                                           \
    "void main() { coopmat<float, gl_ScopeSubgroup, 2, 2, gl_MatrixUseA> a; " \
    "coopmat<float, gl_ScopeSubgroup, 2, 2, gl_MatrixUseB> b; "               \
    "coopMatLoad(a, floats, 0, 2, gl_CooperativeMatrixLayoutRowMajor); "      \
    "coopMatLoad(b, floats, 0, 2, gl_CooperativeMatrixLayoutRowMajor); "      \
    "coopMatStore(coopMatMulAdd(a, b, M(float, 2, 2)(0.0)), results, 0, 2, "  \
    "gl_CooperativeMatrixLayoutRowMajor); }"
// Three products, each of which adds to the one before; the last two are stored.
#define IN_STEPS                                                                                 \
    "void main() { coopmat<float16_t, gl_ScopeSubgroup, 2, 2, gl_MatrixUseA> a; "                \
    "coopmat<float16_t, gl_ScopeSubgroup, 2, 2, gl_MatrixUseB> b; "                              \
    "coopMatLoad(a, halves, 0, 2, gl_CooperativeMatrixLayoutRowMajor); "                         \
    "coopMatLoad(b, halves, 4, 2, gl_CooperativeMatrixLayoutRowMajor); "                         \
    "M(float16_t, 2, 2) two = coopMatMulAdd(a, b, coopMatMulAdd(a, b, M(float16_t, 2, 2)(0))), " \
    "three = coopMatMulAdd(a, b, two); "                                                         \
    "coopMatStore(three, shorts, 0, 2, gl_CooperativeMatrixLayoutRowMajor); "                    \
    "coopMatStore(two, shorts, 4, 2, gl_CooperativeMatrixLayoutRowMajor); }"
#define BY_SCALARS(THREE, TWO)                                                               \
    "void main() { const uint at = gl_LocalInvocationIndex, r = at / 2 * 2, c = at % 2; "    \
    "const float16_t x = halves[r] * halves[4 + c], y = halves[r + 1] * halves[6 + c], two " \
    "= x + x + y + y; shorts[at] = " THREE "; shorts[at + 4] = " TWO "; }"

#define UNREAD "uint x = i + j; u = j;"
#define ATOMIC                                                                                  \
    "shared uint s; void main() { const uint at = gl_LocalInvocationIndex; if (at == 0) s = 0;" \
    " barrier(); atomicAdd(s, words[at]); barrier(); results[at] = float(s); }"

constexpr Pair kLibertyPairs[] = {
    // SPIR-V, 2.14: operations may "execute with a relaxed precision".
    {"relaxed sum", "f = a + b;", "f = a + b;", false, Number::f32, "", "OpFAdd RelaxedPrecision"},
    {"relaxed sum before", "f = a + b;", "f = a + b;", true, Number::f32,
     "OpFAdd RelaxedPrecision"},
    {"relaxed sums", "f = a + b;", "f = b + a;", true, Number::f32, "OpFAdd RelaxedPrecision",
     "OpFAdd RelaxedPrecision"},
    {"relaxed sum of others", "f = a + b;", "f = a + c;", false, Number::f32,
     "OpFAdd RelaxedPrecision", "OpFAdd RelaxedPrecision"},
    {"relaxed product by one", "f = a;", "f = a * 1.0;", false, Number::f32, "",
     "OpFMul RelaxedPrecision"},
    {"relaxed dot product", DOT, DOT, false, Number::f32, "", "OpDot RelaxedPrecision"},
    {"relaxed summand", DOT, "f = a * c + b * d;", false, Number::f32, "",
     "OpFAdd RelaxedPrecision"},
    {"relaxed integers", "u = i + j;", "u = i + j;", false, Number::u32, "",
     "OpIAdd RelaxedPrecision"},
    {"relaxed load", "f = a;", "f = a;", false, Number::f32, "", "OpLoad RelaxedPrecision"},
    {"relaxed function", CALL, CALL, false, Number::f32, "", "OpFunction RelaxedPrecision"},
    {"relaxed call", CALL, CALL, false, Number::f32, "", "OpFunctionCall RelaxedPrecision"},
    {"relaxed constant", "f = a + 1.0;", "f = a + 1.0;", false, Number::f32, "",
     "OpConstant RelaxedPrecision"},
    {"relaxed constant before", "f = a + 1.0;", "f = a + 1.0;", true, Number::f32,
     "OpConstant RelaxedPrecision"},
    {"choice with a mode", "f = i > 7 ? a : b;", "f = i > 7 ? a : b;", false, Number::f32, "",
     "OpSelect FPFastMathMode NSZ"},
    {"relaxed known integer", "u = i + 7;", "uint x = 3; x += 4; u = i + x;", true, Number::u32, "",
     "OpIAdd NoContraction"},

    // SPIR-V, NoSignedWrap: the result is undefined where it would wrap.
    {"sum without a wrap", "u = i + j;", "u = i + j;", false, Number::u32, "",
     "OpIAdd NoSignedWrap"},
    {"sum without a carry", "u = i + j;", "u = i + j;", false, Number::u32, "",
     "OpIAdd NoUnsignedWrap"},
    {"sum without a wrap before", "u = i + j;", "u = i + j;", true, Number::u32,
     "OpIAdd NoSignedWrap"},
    // "... behavior is undefined": also where nothing reads the sum.
    {"unread sum without a wrap", UNREAD, UNREAD, false, Number::u32, "", "OpIAdd NoSignedWrap"},
    {"unread sum without a wrap before", UNREAD, UNREAD, true, Number::u32, "OpIAdd NoSignedWrap",
     "OpIAdd NoSignedWrap"},
    {"sum without a wrap on one way", "uint x = i + j; u = j;",
     "uint x = i; if (i > 7) x = i + j; u = j;", true, Number::u32, "OpIAdd NoUnsignedWrap",
     "OpIAdd NoUnsignedWrap"},
    {"sum without a wrap on both ways", "uint x = i; if (i > 7) x = i + j; u = j;",
     "uint x = i + j; u = j;", false, Number::u32, "OpIAdd NoUnsignedWrap",
     "OpIAdd NoUnsignedWrap"},
    {"known sum without a wrap", "u = j;", "uint x = gl_NumWorkGroups.x; x = x + 7; u = j;", true,
     Number::u32, "", "OpIAdd NoUnsignedWrap"},
    {"known difference that wraps", "u = j;", "uint x = gl_NumWorkGroups.x; x = x - 7; u = j;",
     false, Number::u32, "", "OpISub NoUnsignedWrap"},
    {"relaxed atomic sum", ATOMIC, ATOMIC, false, Number::u32, "", "OpAtomicIAdd RelaxedPrecision"},
    {"relaxed atomic sum before", ATOMIC, ATOMIC, true, Number::u32,
     "OpAtomicIAdd RelaxedPrecision"},
    {"doubled", "u = i * 2;", "u = i + i;", false, Number::u32, "", "OpIAdd NoSignedWrap"},

    // SPV_KHR_float_controls2: NotNaN, NotInf, NSZ.
    {"times one, not NaN", "f = a;", "f = a * 1.0;", false, Number::f32, "",
     "OpFMul FPFastMathMode NotNaN"},
    {"plus minus zero, any sign", "f = a;", "f = a + (-0.0);", false, Number::f32, "",
     "OpFAdd FPFastMathMode NSZ"},
    {"minimum, not infinite", "f = min(a, b);", "f = min(a, b);", false, Number::f32, "",
     "FMin FPFastMathMode NotInf"},
    {"dot product, not NaN", DOT, DOT, false, Number::f32, "", "OpDot FPFastMathMode NotNaN"},
    {"fast sum before", "f = a + b;", "f = a + b;", true, Number::f32,
     "OpFAdd FPFastMathMode NotNaN|NotInf|NSZ"},
    {"faster sum", "f = a + b;", "f = a + b;", false, Number::f32, "OpFAdd FPFastMathMode NotNaN",
     "OpFAdd FPFastMathMode NotNaN|NotInf"},
    {"less fast sum", "f = a + b;", "f = a + b;", true, Number::f32,
     "OpFAdd FPFastMathMode NotNaN|NotInf", "OpFAdd FPFastMathMode NotNaN"},
    {"no flags before", "f = a + b;", "f = a + b;", false, Number::f32,
     "OpFAdd FPFastMathMode None"},

    {"no flags before in a dot product", DOT_OF_PRODUCT, DOT_OF_PRODUCT, false, Number::f32,
     "OpFMul FPFastMathMode None"},
    {"no flags in a dot product", DOT_OF_PRODUCT, DOT_OF_PRODUCT, true, Number::f32, "",
     "OpFMul FPFastMathMode None"},

    // Vulkan, "Precision and Operation of SPIR-V Instructions": without the mode, devices may
    // ignore
    // signs of zeros, NaN and infinities.
    {"specials need not be kept", SUM, SUM, false, Number::f32, "SignedZeroInfNanPreserve 32"},
    {"specials are kept", SUM, SUM, true, Number::f32, "", "SignedZeroInfNanPreserve 32"},
    {"other rounding", DOT, DOT, false, Number::f32, "RoundingModeRTE 32", "RoundingModeRTZ 32"},
    {"other denormals", DOT, DOT, false, Number::f32, "DenormPreserve 32", "DenormFlushToZero 32"},
    {"flushed number", "f = a * 1.0;", "f = a;", false, Number::f32, "DenormFlushToZero 32",
     "DenormFlushToZero 32"},
    {"number that is flushed", "f = a;", "f = a + (-0.0);", false, Number::f32,
     "DenormFlushToZero 32", "DenormFlushToZero 32"},

    // NoContraction.
    {"dot product that may be fused", STRICT_DOT, DOT, false},
    {"dot product that is not fused", DOT, STRICT_DOT, true},
    {"mix that may be fused", "f = mix(a, b, c);", "f = mix(a, b, c);", false, Number::f32,
     "FMix NoContraction"},
    {"fma that may be two", "f = fma(a, b, c);", "f = fma(a, b, c);", false, Number::f32,
     "Fma NoContraction"},
    {"fma by two", "f = fma(a, b, c);", "f = a * b + c;", false, Number::f32, "Fma NoContraction"},
    {"length that may be fused", "f = length(vec2(a, b));", "f = length(vec2(a, b));", false,
     Number::f32, "Length NoContraction"},

    // AllowContract: "The instructions producing the operands do not need to be decorated".
    {"product without flags in a sum", "f = a * b + c;", "f = a * b + c;", false, Number::f32,
     "OpFMul NoContraction\nOpFAdd NoContraction",
     "OpFMul FPFastMathMode None\nOpFAdd FPFastMathMode AllowContract"},
    {"product without flags in a loose sum", "f = a * b + c;", "f = a * b + c;", false, Number::f32,
     "OpFMul NoContraction", "OpFMul FPFastMathMode None\nOpFAdd FPFastMathMode AllowContract"},
    {"product without flags and no sum", "f = a * b;", "f = a * b;", true, Number::f32,
     "OpFMul NoContraction", "OpFMul FPFastMathMode None"},
    {"known product without flags in a sum",
     "precise float t = float(gl_NumWorkGroups.x) + 0.1, "
     "y = t * t; y = y - 1.21; f = y;",
     "float t = float(gl_NumWorkGroups.x) + 0.1; f = t * t - 1.21;", false, Number::f32, "",
     "OpFMul FPFastMathMode None\nOpFSub FPFastMathMode AllowContract"},

    // Vulkan, "Precision of Individual Operations": exp2() has an error, and so has a quotient.
    {"power of known numbers", "f = 8.0;", "f = exp2(float(gl_NumWorkGroups.x + 2));", false},
    {"power of known numbers before", "f = exp2(float(gl_NumWorkGroups.x + 2));", "f = 8.0;", true},
    {"branch on a power", "f = a;",
     "if (exp2(float(gl_NumWorkGroups.x + 2)) == 8.0) f = a; else f = b;", false},
    {"root in a sum", "f = a + 2.0;", "f = a + sqrt(float(gl_NumWorkGroups.x + 3));", false},
    {"known product in a sum",
     "precise float t = float(gl_NumWorkGroups.x) + 0.1, y = t * t; y = y - 1.21; f = y;",
     "float t = float(gl_NumWorkGroups.x) + 0.1; f = t * t - 1.21;", false},
    {"exact known product in a sum", "f = 2.0;",
     "float t = float(gl_NumWorkGroups.x) + 0.5; f = t * t - 0.25;", true},
    {"known sum of lanes", "precise float x = 0.1 * 0 + 0.1; f = x + 0.5;",
     "f = subgroupAdd(float(at) * 0.1);", false},

    {"unpacked known bits", "f = 128.0 / 255.0;",
     "f = unpackUnorm4x8(gl_NumWorkGroups.x * 128u).x;", false},
    {"unpacked known bits before", "f = unpackUnorm4x8(gl_NumWorkGroups.x * 128u).x;",
     "f = unpackUnorm4x8(gl_NumWorkGroups.x * 128u).x;", true},
    {"packed half", "u = 128;",
     "u = packUnorm4x8(vec4(float(gl_NumWorkGroups.x) * 0.5, 0.0, 0.0, 0.0));", false, Number::u32},
    // FMin: "which operand is the result is undefined if one of the operands is a NaN".
    {"least known number", "f = 1.0;", "f = subgroupMin(float(at) + 1.0);", true},
    {"least of known zeros", "f = 0.0;",
     "f = subgroupMin(uintBitsToFloat(uint(at > gl_NumWorkGroups.x) << 31));", false},
    {"least of known numbers and a NaN", "f = 0.0;",
     "f = subgroupMin(at > gl_NumWorkGroups.x ? uintBitsToFloat(0x7FC00000) : float(at));", false},
    // Ldexp: "If exp is greater than +128 [...] the value returned is undefined".
    {"scaled beyond numbers", "f = uintBitsToFloat(0x7F800000);",
     "f = ldexp(float(gl_NumWorkGroups.x), 200);", false},
    {"scaled", "f = 8.0;", "f = ldexp(float(gl_NumWorkGroups.x), 3);", true},

    // Doubles: a product is rounded, or fused with the sum; so are sums beyond 2^53.
    {"known dot product of doubles", KNOWN_DOUBLE "precise double x = t * t; f = float(x - 0.5lf);",
     KNOWN_DOUBLE "f = float(dot(dvec2(t, 1.0lf), dvec2(t, -0.5lf)));", false},
    {"known sum beyond doubles", "f = 0.0;", LONG_SUM, false},

    // A number that another invocation computed is no product.
    {"product in shared memory", SHARED_SUM, SHARED_SUM, true},
    {"product in shared memory by fma", SHARED_SUM, SHARED_FMA, false},
    {"product of another lane", "f = subgroupShuffleXor(a * b, 1) + c;",
     "f = subgroupShuffleXor(a * b, 1) + c;", true},
    {"product of another lane by fma", "f = subgroupShuffleXor(a * b, 1) + c;",
     "f = fma(subgroupShuffleXor(a, 1), subgroupShuffleXor(b, 1), c);", false},
    {"product of one lane by fma", "f = subgroupClusteredAdd(a * b, 1) + c;", "f = fma(a, b, c);",
     false},
    {"product in bits by fma", "f = uintBitsToFloat(floatBitsToUint(a * b)) + c;",
     "f = fma(a, b, c);", false},
    {"opposite of another lane's product",
     SHARED_BY("-(floats[at] * floats[at + 4])", "s[at ^ 1] + floats[at + 8]"),
     OTHERS("-(floats[n] * floats[n + 4]) + floats[at + 8]"), false},
    {"opposite of another lane's product alone",
     SHARED_BY("-(floats[at] * floats[at + 4])", "s[at ^ 1]"),
     OTHERS("-(floats[n] * floats[n + 4])"), true},
    {"another lane's product by its bits",
     SHARED_BY("floats[at] * floats[at + 4]", "s[at ^ 1] + floats[at + 8]"),
     OTHERS("uintBitsToFloat(floatBitsToUint(floats[n] * floats[n + 4])) + floats[at + 8]"), false},
    {"its own product by its bits",
     SHARED_BY("floats[at] * floats[at + 4]", "s[at] + floats[at + 8]"),
     OTHERS("uintBitsToFloat(floatBitsToUint(floats[at] * floats[at + 4])) + floats[at + 8]"),
     true},
    {"another lane's product that it computes itself",
     SHARED_BY("floats[at] * floats[at + 4]", "s[at ^ 1] + floats[at + 8]"),
     SHARED_BY("floats[at ^ 1] * floats[(at ^ 1) + 4]", "s[at] + floats[at + 8]"), false},
    // Which invocation calls a function for an element, is open.
    {"a product in functions of elements", BY_ELEMENTS("row * 2 + column"),
     BY_ELEMENTS("row * 2 + column"), true},
    {"another lane's product in functions of elements",
     SHARED_BY("floats[at] * floats[at + 4]", "s[at ^ 1] + floats[at + 8]"),
     BY_ELEMENTS("(row * 2 + column) ^ 1"), false},
    {"its own product for functions of elements", BY_ELEMENTS("(row * 2 + column) ^ 1"),
     SHARED_BY("floats[at ^ 1] * floats[(at ^ 1) + 4]", "s[at] + floats[at + 8]"), true},
    {"another lane's product from another place",
     SHARED_BY("floats[at] * floats[at + 4]", "s[at ^ 1] + floats[at + 8]"),
     SHARED_BY("floats[3 - at] * floats[7 - at]", "s[at ^ 2] + floats[at + 8]"), true},
    {"its own product from memory", SHARED_BY("floats[at] * floats[at + 4]", "s[at] + floats[at]"),
     SHARED_BY("floats[at ^ 1] * floats[(at ^ 1) + 4]", "s[at ^ 1] + floats[at]"), true},
    {"another lane's product by a shuffle", "f = subgroupShuffleXor(a * b, 1) + c;",
     "f = subgroupShuffleXor(subgroupShuffleXor(a, 1) * subgroupShuffleXor(b, 1), 0) + c;", false},
    {"product of another lane alone", "f = subgroupShuffleXor(a * b, 1);",
     "f = subgroupShuffleXor(a, 1) * subgroupShuffleXor(b, 1);", true},

    // OpCooperativeMatrixMulAddKHR: "implementation-dependent [...] internal precision".
    {"dot product by matrices", OF_DOTS, OF_MATRICES, false},
    {"matrices by dot products", OF_MATRICES, OF_DOTS, true},
    // A sum that is read twice is one number.
    {"sum in a sum and in memory", IN_STEPS, BY_SCALARS("two + x + y", "two"), true, Number::f16},
    {"sum in another order in memory", IN_STEPS, BY_SCALARS("two + x + y", "x + y + x + y"), false,
     Number::f16},
    {"sum in memory that is open in a sum", IN_STEPS, BY_SCALARS("x + x + x + y + y + y", "two"),
     false, Number::f16},

    // GLSL.std.450, SClamp, UClamp: "Result is undefined if minVal > maxVal".
    {"clamp with any limits", "u = min(max(i, 5), j);", "u = clamp(i, 5, j);", false, Number::u32},
    {"clamp with limits", "u = min(max(i, 5), j | 8);", "u = clamp(i, 5, j | 8);", true,
     Number::u32},
    {"signed clamp with any limits", "u = uint(min(max(int(i), -5), int(j)));",
     "u = uint(clamp(int(i), -5, int(j)));", false, Number::u32},
};

class LibertiesProof : public testing::TestWithParam<Pair> {};

TEST_P(LibertiesProof, IsAsTheTextSays) {
    const Pair& pair = GetParam();
    const std::string why = whyNot(pair);
    EXPECT_EQ(why.empty(), pair.isProved) << pair.name << ": " << why;
}

INSTANTIATE_TEST_SUITE_P(All, LibertiesProof, testing::ValuesIn(kLibertyPairs),
                         [](const auto& test) { return wordOf(test.param.name); });

}  // namespace
}  // namespace coopvk::reference::symbols_test
