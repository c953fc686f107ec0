// SPDX-License-Identifier: Apache-2.0
//
// Functions and matrices of half floats on a device without shaderFloat16.
#include <gtest/gtest.h>

#include <cmath>
#include <format>
#include <numbers>

#include "harness/halves.hpp"
#include "harness/random.hpp"

namespace coopvk::test::half_glsl_test {
namespace {

constexpr size_t kCount = 1024;

// Of x from -4 to 4, y from 0.125 to 4 and z from 0 to 1, or of vectors of four such numbers.
struct Function {
    std::string_view code;
    double (*value)(double x, double y, double z);
};

double smoothstep(double low, double high, double x) {
    const double t = std::fmin(std::fmax((x - low) / (high - low), 0), 1);
    return t * t * (3 - 2 * t);
}

#define COOPVK_OF(expression)                    \
    [](double x, double y, double z) -> double { \
        (void)x, (void)y, (void)z;               \
        return expression;                       \
    }

constexpr Function kFunctions[] = {
    {"round(y)", COOPVK_OF(std::round(y))},
    {"radians(x)", COOPVK_OF(x* std::numbers::pi / 180)},
    {"degrees(x)", COOPVK_OF(x / std::numbers::pi * 180)},
    {"sin(x)", COOPVK_OF(std::sin(x))},
    {"cos(x)", COOPVK_OF(std::cos(x))},
    {"tan(z)", COOPVK_OF(std::tan(z))},
    {"asin(z)", COOPVK_OF(std::asin(z))},
    {"acos(z)", COOPVK_OF(std::acos(z))},
    {"atan(x)", COOPVK_OF(std::atan(x))},
    {"atan(x, y)", COOPVK_OF(std::atan2(x, y))},
    {"sinh(x)", COOPVK_OF(std::sinh(x))},
    {"cosh(x)", COOPVK_OF(std::cosh(x))},
    {"tanh(x)", COOPVK_OF(std::tanh(x))},
    {"asinh(x)", COOPVK_OF(std::asinh(x))},
    {"acosh(float16_t(1.0) + y)", COOPVK_OF(std::acosh(halfValue(halfBits(1 + y))))},
    {"atanh(z * float16_t(0.5))", COOPVK_OF(std::atanh(z / 2))},
    {"pow(y, x)", COOPVK_OF(std::pow(y, x))},
    {"exp(x)", COOPVK_OF(std::exp(x))},
    {"log(y)", COOPVK_OF(std::log(y))},
    {"exp2(x)", COOPVK_OF(std::exp2(x))},
    {"log2(y)", COOPVK_OF(std::log2(y))},
    {"sqrt(y)", COOPVK_OF(std::sqrt(y))},
    {"inversesqrt(y)", COOPVK_OF(1 / std::sqrt(y))},
    {"mix(x, y, z)", COOPVK_OF(x * (1 - z) + y * z)},
    {"smoothstep(float16_t(0), y, x)", COOPVK_OF(smoothstep(0, y, x))},
    {"fma(x, y, z)", COOPVK_OF(x* y + z)},
    {"mod(x, y)", COOPVK_OF(x - y * std::floor(x / y))},
    {"length(f16vec2(x, y))", COOPVK_OF(std::hypot(x, y))},
    {"distance(f16vec3(x), f16vec3(y))", COOPVK_OF(std::sqrt(3.0) * std::fabs(x - y))},
    {"cross(f16vec3(x, y, z), f16vec3(z, x, y)).z", COOPVK_OF(x* x - y * z)},
    {"normalize(f16vec4(x, y, z, 1)).y", COOPVK_OF(y / std::sqrt(x * x + y * y + z * z + 1))},
    {"faceforward(f16vec2(x), f16vec2(y), f16vec2(z)).x", COOPVK_OF(y* z < 0 ? x : -x)},
    {"reflect(f16vec2(x, y), f16vec2(0, 1)).y", COOPVK_OF(-y)},
    {"refract(f16vec2(0, -1), f16vec2(0, 1), z).y", COOPVK_OF(-1)},
    {"dot(f16vec3(x, y, z), f16vec3(y, z, x))", COOPVK_OF(x* y + y * z + z * x)},
    {"ldexp(x, int(i % 7) - 3)", nullptr},
    {"fractionOf(x)", COOPVK_OF(x - std::trunc(x))},
    {"wholeOf(x)", COOPVK_OF(std::trunc(x))},
    {"significandOf(y)",
     [](double, double y, double) {
         int e = 0;
         return std::frexp(y, &e);
     }},
    {"exponentOf(y)",
     [](double, double y, double) {
         int e = 0;
         std::frexp(y, &e);
         return double(e);
     }},
};

std::vector<uint64_t> randomHalves(Rng& rng, double low, double high) {
    std::vector<uint64_t> halves;
    for (size_t i = 0; i < kCount; ++i) halves.push_back(halfBits(low + (high - low) * rng.unit()));
    return halves;
}

std::string functionSource() {
    std::string body = R"(
layout(binding = 0) buffer A { float16_t a[]; };
layout(binding = 1) buffer B { float16_t b[]; };
layout(binding = 2) buffer C { float16_t c[]; };
layout(binding = 3) buffer D { float16_t d[]; };
float16_t fractionOf(float16_t x) { float16_t whole; return modf(x, whole); }
float16_t wholeOf(float16_t x) { f16vec2 whole; modf(f16vec2(0, x), whole); return whole.y; }
float16_t significandOf(float16_t x) { int e; return frexp(x, e); }
float16_t exponentOf(float16_t x) { ivec2 e; frexp(f16vec2(x, 1), e); return float16_t(e.x); }
void main() {
    uint i = gl_GlobalInvocationID.x;
    float16_t x = a[i], y = b[i], z = c[i];
)";
    for (size_t f = 0; f < std::size(kFunctions); ++f) {
        body += std::format("d[i * {} + {}] = {};\n", std::size(kFunctions), f, kFunctions[f].code);
    }
    return halfShader(body + "}\n");
}

// Vulkan's bounds for 16 bits are wider than those here for each of them ("Precision of
// GLSL.std.450 Instructions"): two units in the last place, or 2^-10 near zero.
TEST(HalfFloats, Functions) {
    COOPVK_REQUIRE(Requirement::kEmulatedHalves);
    const Format& f16 = format("f16");
    Rng rng("HalfFunctions");
    const auto x = randomHalves(rng, -4, 4), y = randomHalves(rng, 0.125, 4);
    const auto z = randomHalves(rng, 0, 1);
    constexpr size_t kFunctionCount = std::size(kFunctions);
    Dispatch dispatch;
    dispatch.buffers = {packed(f16, x), packed(f16, y), packed(f16, z),
                        Bytes(kCount * kFunctionCount * 2)};
    dispatch.groups = {kCount / 64, 1, 1};
    const auto got = unpacked(f16, run(compileGlsl(functionSource()), dispatch)[3]);
    size_t wrong = 0;
    for (size_t i = 0; i < got.size() && wrong < 20; ++i) {
        const Function& function = kFunctions[i % kFunctionCount];
        const size_t at = i / kFunctionCount;
        const double px = halfValue(x[at]), py = halfValue(y[at]), pz = halfValue(z[at]);
        const double want = function.value != nullptr
                                ? function.value(px, py, pz)
                                : std::ldexp(px, static_cast<int>(at % 7) - 3);
        const double value = halfValue(got[i]);
        if (std::fabs(value - want) <= std::fabs(want) * 0x1p-9 + 0x1p-10) continue;
        ++wrong;
        ADD_FAILURE() << std::format("{} of {}, {}, {} is {}, not {}", function.code, px, py, pz,
                                     value, want);
    }
}

// Of small integers all results are exact.
TEST(HalfFloats, Matrices) {
    COOPVK_REQUIRE(Requirement::kEmulatedHalves);
    const Format& f16 = format("f16");
    Rng rng("HalfMatrices");
    double m[4][4], n[4][4], v[4];
    std::vector<uint64_t> in;
    const auto draw = [&](double& value) {
        value = static_cast<double>(rng.range(-4, 4));
        in.push_back(halfBits(value));
    };
    for (auto& column : m)
        for (double& value : column) draw(value);
    for (auto& column : n)
        for (double& value : column) draw(value);
    for (double& value : v) draw(value);
    Dispatch dispatch;
    dispatch.buffers = {packed(f16, in), Bytes(7 * 16 * 2)};
    const auto after = run(compileGlsl(halfShader(R"(
layout(binding = 0) buffer A { f16vec4 a[]; };
layout(binding = 1) buffer B { f16vec4 b[]; };
f16mat4 held;
void put(uint at, f16mat4 m) { for (uint c = 0; c < 4; ++c) b[at * 4 + c] = m[c]; }
void main() {
    if (gl_LocalInvocationIndex != 0) return;
    f16mat4 m = f16mat4(a[0], a[1], a[2], a[3]), n = f16mat4(a[4], a[5], a[6], a[7]);
    f16vec4 v = a[8];
    put(0, m * n);
    put(1, transpose(m));
    put(2, outerProduct(v, a[0]));
    put(3, m * float16_t(3.0));
    held = n;
    held[1][2] = v.x;
    put(4, held);
    b[20] = m * v; b[21] = v * m;
    b[22] = f16vec4(determinant(f16mat2(a[0].xy, a[1].xy)));
    b[23] = (inverse(f16mat2(2, 0, 1, 4)) * f16vec2(8, 8)).xyxy;
    put(6, m + n);
})")),
                           dispatch);
    const std::vector<uint64_t> got = unpacked(f16, after[1]);
    const auto expect = [&](size_t at, double want) { EXPECT_EQ(halfValue(got[at]), want) << at; };
    for (size_t c = 0; c < 4; ++c) {
        double mv = 0, vm = 0;
        for (size_t r = 0; r < 4; ++r) {
            double product = 0;
            for (size_t k = 0; k < 4; ++k) product += m[k][r] * n[c][k];
            expect(c * 4 + r, product);
            expect(16 + c * 4 + r, m[r][c]);
            expect(32 + c * 4 + r, v[r] * m[0][c]);
            expect(48 + c * 4 + r, m[c][r] * 3);
            expect(64 + c * 4 + r, c == 1 && r == 2 ? v[0] : n[c][r]);
            expect(96 + c * 4 + r, m[c][r] + n[c][r]);
            mv += m[r][c] * v[r];
            vm += m[c][r] * v[r];
        }
        expect(80 + c, mv);
        expect(84 + c, vm);
        expect(88 + c, m[0][0] * m[1][1] - m[0][1] * m[1][0]);
        expect(92 + c, c % 2 == 0 ? 3 : 2);
    }
}

// Loads, stores and accesses of whole matrices, columns and components.
TEST(HalfFloats, MatricesInBuffers) {
    COOPVK_REQUIRE(Requirement::kEmulatedHalves);
    const Format& f16 = format("f16");
    std::vector<uint64_t> in;
    for (uint32_t i = 0; i < 48; ++i) in.push_back(halfBits(i));
    Dispatch dispatch;
    dispatch.buffers = {packed(f16, in)};
    const auto after = run(compileGlsl(halfShader(R"(
layout(binding = 0) buffer A { f16mat4 m[2]; f16mat4 chosen; } a;
void main() {
    if (gl_LocalInvocationIndex != 0) return;
    a.chosen = f16mat4(a.m[0][0], a.m[1][1], a.m[0][2], a.m[1][3]);
    f16mat4 first = a.m[0];
    a.m[0] = a.m[1] * float16_t(2.0);
    a.m[1] = first;
    a.m[1][2].y = float16_t(-1.0);
})")),
                           dispatch);
    const std::vector<uint64_t> got = unpacked(f16, after[0]);
    for (uint32_t i = 0; i < 16; ++i) {
        EXPECT_EQ(halfValue(got[i]), (16 + i) * 2) << i;
        EXPECT_EQ(halfValue(got[16 + i]), i == 9 ? -1.0 : i) << i;
        EXPECT_EQ(halfValue(got[32 + i]), i / 4 % 2 == 0 ? i : 16 + i) << i;
    }
}

}  // namespace
}  // namespace coopvk::test::half_glsl_test
