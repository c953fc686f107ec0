// SPDX-License-Identifier: Apache-2.0
//
// Proofs by symbols: pairs of programs of which the second one may take the first one's place for
// all contents of memory, and attempts at false claims.
#include "coopvk_reference/symbols.hpp"

#include <gtest/gtest.h>

#include "../driver/harness/shader.hpp"
#include "coopvk_reference/buffers.hpp"
#include "program_runner.hpp"

namespace coopvk::reference::symbols_test {
namespace {

using coopvk::test::compileGlsl;
using coopvk::test::Words;
using numbers::Number;

struct Pair {
    const char* name;
    const char* native;
    const char* rewritten;
    bool isProved;
    Number number = Number::f32;  // of the result; integers: u32
};

// a to d: floats; i, j: integers; h: halves; r: the result. Each of 4 lanes has its own.
constexpr auto kHead = R"(#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_EXT_shader_8bit_storage : require
layout(local_size_x = 4) in;
layout(binding = 0) readonly buffer A { vec4 floats[4]; uvec4 words[4]; f16vec4 halves[4]; };
layout(binding = 1) buffer R { uint results[4]; };
void main() {
    const uint at = gl_LocalInvocationIndex;
    const float a = floats[at].x, b = floats[at].y, c = floats[at].z, d = floats[at].w;
    const uint i = words[at].x, j = words[at].y;
    const float16_t h = halves[at].x, k = halves[at].y;
    precise float p = 0.0;
    float f = 0.0;
    uint u = 0;
    float16_t g = float16_t(0);
    precise float16_t q = float16_t(0);
)";
constexpr auto kTail = R"(
    results[at] = u ^ floatBitsToUint(f) ^ floatBitsToUint(p) ^ uint(float16BitsToUint16(g)) ^
                  uint(float16BitsToUint16(q));
})";

class Side {
 public:
    Side(const char* body, Symbols& symbols) {
        const Words words = compileGlsl(std::string(kHead) + body + kTail);
        const auto program = makeProgram({.words = words, .subgroupSize = 4});
        if (!program) {
            error = program.error().message;
            return;
        }
        program_ = *program;
        BufferList buffers;
        buffers.add(0, 0, 0, rangeOf(input, inputDeviations));
        buffers.add(0, 1, 0, rangeOf(output, outputDeviations));
        for (size_t n = 0; n < input.size(); ++n) input[n] = std::byte(n * 37 % 59);
        static_assert(kFirst > 0);
        for (size_t n = 0; n < input.size(); ++n) inputDeviations[n] = kFirst + Deviation(n);
        const Settings settings{.subgroupSize = 4, .threads = 1, .symbols = &symbols};
        ReportList list;
        const Status status = execute(*program_, {}, buffers, settings, list);
        error = symbols.takeObstacle();
        if (error.empty() && !status) error = status.error().message;
        if (error.empty() && !list.reports.empty()) error = describe(list.reports[0]);
    }

    // All start with the same bytes.
    static constexpr Deviation kFirst = 1;
    static constexpr size_t kInput = 160, kOutput = 16;
    std::string error;
    std::vector<std::byte> input = std::vector<std::byte>(kInput),
                           output = std::vector<std::byte>(kOutput);
    std::vector<Deviation> inputDeviations = std::vector<Deviation>(kInput),
                           outputDeviations = std::vector<Deviation>(kOutput);

 private:
    static Range rangeOf(std::vector<std::byte>& bytes, std::vector<Deviation>& deviations) {
        return {.data = bytes.data(), .size = bytes.size(), .deviations = deviations.data()};
    }
    std::shared_ptr<const Program> program_;
};

// Empty: proved.
std::string whyNot(const Pair& pair) {
    Symbols symbols;
    std::vector<std::byte> sample(Side::kInput);
    for (size_t n = 0; n < sample.size(); ++n) sample[n] = std::byte(n * 37 % 59);
    EXPECT_EQ(symbols.addBytes(sample.data(), sample.size()), Side::kFirst);
    const Side native(pair.native, symbols), rewritten(pair.rewritten, symbols);
    if (!native.error.empty()) return native.error;
    if (!rewritten.error.empty()) return rewritten.error;
    Proof proof(symbols);
    for (size_t at = 0; at < Side::kOutput; at += 4) {
        const auto number =
            numbers::format(pair.number).floating() ? std::optional(pair.number) : std::nullopt;
        if (!proof.allows(native.outputDeviations.data() + at, native.output.data() + at,
                          rewritten.outputDeviations.data() + at, rewritten.output.data() + at, 4,
                          number))
            return proof.reason();
    }
    return {};
}

constexpr Pair kPairs[] = {
    {"same", "f = a * b + c;", "f = a * b + c;", true},
    {"commuted", "f = a * b + c;", "f = c + b * a;", true},
    {"contracted", "f = a * b + c;", "f = fma(a, b, c);", true},
    {"fma as two", "f = fma(a, b, c);", "f = a * b + c;", true},
    {"halves in a word", "u = uint(float16BitsToUint16(h));",
     "u = packFloat2x16(f16vec2(h, k)) & 0xFFFF;", true, Number::u32},
    {"bytes by shifts", "u = uint(uint8_t(i >> 8));", "u = (i << 16) >> 24;", true, Number::u32},
    {"sign by shifts", "u = uint(int(int8_t(i)));", "u = uint(int(i << 24) >> 24);", true,
     Number::u32},
    {"field", "u = bitfieldExtract(i, 4, 12);", "u = (i >> 4) & 0xFFF;", true, Number::u32},
    {"signed field", "u = uint(bitfieldExtract(int(i), 4, 12));", "u = uint((int(i) << 16) >> 20);",
     true, Number::u32},
    {"inserted field", "u = bitfieldInsert(i, j, 8, 8);",
     "u = (i & 0xFFFF00FF) | ((j & 0xFF) << 8);", true, Number::u32},
    {"integers in any order", "u = i * j + i * 3 - j;", "u = i * (j + 3) - j;", true, Number::u32},
    {"shift as a product", "u = (i + j) * 4;", "u = (i << 2) + (j << 2);", true, Number::u32},
    {"shuffled twice", "f = a;", "f = subgroupShuffleXor(subgroupShuffleXor(a, 1), 1);", true},
    {"exact and back", "g = h;", "g = float16_t(float(h));", true, Number::f16},
    {"maximum", "f = max(a, b);", "f = max(b, a);", true},
    {"bytes as floats", "f = float(i & 0xFF);",
     "f = uintBitsToFloat(0x4B000000 | (i & 0xFF)) - 8388608.0;", true},
    {"halves by integers", "p = float(h);",
     "const uint m = uint(float16BitsToUint16(h)) & 0x7FFF; const uint s = "
     "(uint(float16BitsToUint16(h)) & 0x8000) << 16;"
     "p = uintBitsToFloat(s | mix(floatBitsToUint(uintBitsToFloat(m << 13) * "
     "uintBitsToFloat(0x77800000)), 0x7F800000 | (m << 13), (m >> 10) == 31));",
     true},
    {"chosen twice", "f = mix(d, c, a < b);", "f = mix(d, mix(a, c, a < b), a < b);", true},

    // False claims.
    {"sum and back", "f = a;", "f = (a + b) - b;", false},
    {"reassociated", "p = (a + b) + c;", "p = a + (b + c);", false},
    {"distributed", "p = (a + b) * c;", "p = a * c + b * c;", false},
    {"contracted all the same", "p = a * b + c;", "p = fma(a, b, c);", false},
    {"may be contracted", "p = a * b + c;", "f = a * b + c;", false},
    {"a rounding less", "q = h * k; g = q * h;", "g = float16_t(float(h) * float(k) * float(h));",
     false, Number::f16},
    {"another rounding", "p = a * b;", "p = float(float16_t(a * b));", false},
    {"half product in a sum", "p = float(h) * float(k) + a;", "p = float(h * k) + a;", false},
    {"minimum by comparison", "f = mix(b, a, a < b);", "f = mix(a, b, b < a);", false},
    {"minimum of NaN", "f = mix(b, a, a < b);", "f = min(a, b);", false},
    {"negated comparison", "f = mix(d, c, a < b);", "f = mix(c, d, a >= b);", false},
    {"other operand", "f = a - b;", "f = b - a;", false},
    {"other component", "f = a * b;", "f = a * c;", false},
    {"other lane", "f = a;", "f = subgroupShuffleXor(a, 1);", false},
    {"shift too far", "u = i << (j & 31);", "u = i << j;", false, Number::u32},
    {"logical and arithmetic", "u = i >> 3;", "u = uint(int(i) >> 3);", false, Number::u32},
    {"signed and unsigned bytes", "u = uint(uint8_t(i));", "u = uint(int(int8_t(i)));", false,
     Number::u32},
    {"signed and unsigned", "f = float(i);", "f = float(int(i));", false},
    {"one bit more", "u = bitfieldExtract(i, 4, 12);", "u = bitfieldExtract(i, 4, 13);", false,
     Number::u32},
    {"carry", "u = (i & 0xFF) + (j & 0xFF);", "u = (i & 0xFF) | (j & 0xFF);", false, Number::u32},
    {"integers with a fault", "u = i * j + i;", "u = i * (j + 2);", false, Number::u32},
    {"modulo less", "u = (i * j) & 0xFFFF;", "u = (i & 0xFFF) * (j & 0xFFFF) & 0xFFFF;", false,
     Number::u32},
    {"one of 65536", "u = uint(float16BitsToUint16(h));",
     "u = uint(float16BitsToUint16(h)); u = mix(u, 0x7124, u == 0x7123);", false, Number::u32},
    {"one of 256", "f = float(i & 0xFF);", "f = mix(float(i & 0xFF), 78.0, (i & 0xFF) == 77);",
     false},
    {"one of 2^32", "u = i;", "u = mix(i, 0, i == 0xDEADBEEF);", false, Number::u32},
    {"NaN as bits", "u = uint(float16BitsToUint16(h));",
     "u = uint(float16BitsToUint16(float16_t(float(h))));", false, Number::u32},
    {"zero added", "p = a;", "p = a + 0.0;", false},
    {"times one", "u = floatBitsToUint(a);", "u = floatBitsToUint(a * 1.0);", false, Number::u32},
    {"negated twice by zero", "p = -a;", "p = 0.0 - a;", false},
    {"quotient", "p = a / b;", "p = a * (1.0 / b);", false},
    {"data decide", "f = a;", "if (i > 3) f = a; else f = a;", false},
    {"data address", "f = a;", "f = floats[i & 3].x;", false},
};

class SymbolPairs : public testing::TestWithParam<Pair> {};

TEST_P(SymbolPairs, AreProvedOrNot) {
    const std::string why = whyNot(GetParam());
    EXPECT_EQ(why.empty(), GetParam().isProved) << GetParam().name << ": " << why;
}

INSTANTIATE_TEST_SUITE_P(All, SymbolPairs, testing::ValuesIn(kPairs), [](const auto& of) {
    std::string name = of.param.name;
    for (char& letter : name)
        if (!std::isalnum(static_cast<unsigned char>(letter))) letter = '_';
    return name;
});

}  // namespace
}  // namespace coopvk::reference::symbols_test
