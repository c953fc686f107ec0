// SPDX-License-Identifier: Apache-2.0
//
// Arithmetic and comparisons of half floats on a device without shaderFloat16.
#include <gtest/gtest.h>

#include <cmath>
#include <format>

#include "harness/halves.hpp"
#include "harness/layer_log.hpp"

namespace coopvk::test::half_arithmetic_test {
namespace {

constexpr size_t kCount = 4096;

struct Operation {
    std::string_view code;  // of x, y and z
    double (*value)(double x, double y, double z);
    uint64_t units = 0;  // that the result may be away (Vulkan, "Precision of core SPIR-V
                         // Instructions"); 0: correctly rounded
};

double fraction(double x) { return x - std::floor(x); }

// Quotients of f32 have 2.5 units in the last place of f32, which may round to the neighbour.
constexpr Operation kOperations[] = {
    {"x + y", [](double x, double y, double) { return x + y; }},
    {"x - y", [](double x, double y, double) { return x - y; }},
    {"x * y", [](double x, double y, double) { return x * y; }},
    {"x / y", [](double x, double y, double) { return x / y; }, 1},
    {"-x", [](double x, double, double) { return -x; }},
    {"abs(x)", [](double x, double, double) { return std::fabs(x); }},
    {"floor(x)", [](double x, double, double) { return std::floor(x); }},
    {"ceil(x)", [](double x, double, double) { return std::ceil(x); }},
    {"trunc(x)", [](double x, double, double) { return std::trunc(x); }},
    {"roundEven(x)", [](double x, double, double) { return std::nearbyint(x); }},
    {"x + y * z", [](double x, double y, double z) { return x + halfValue(halfBits(y * z)); }},
    {"sqrt(abs(x))", [](double x, double, double) { return std::sqrt(std::fabs(x)); }, 1},
};

// Where an operand is infinite or no number, GLSL leaves the results open.
constexpr Operation kOfFinite[] = {
    {"min(x, y)", [](double x, double y, double) { return std::fmin(x, y); }},
    {"max(x, y)", [](double x, double y, double) { return std::fmax(x, y); }},
    {"sign(x)", [](double x, double, double) { return x == 0 ? 0.0 : std::copysign(1.0, x); }},
    {"fract(x)", [](double x, double, double) { return fraction(x); }},
    {"clamp(x, -abs(y), abs(y))",
     [](double x, double y, double) {
         return std::fmin(std::fmax(x, -std::fabs(y)), std::fabs(y));
     }},
    {"step(y, x)", [](double x, double y, double) { return x < y ? 0.0 : 1.0; }},
};

// Each of the operations on scalars, and on vectors of the four neighbours.
std::string sourceOf(std::span<const Operation> operations) {
    std::string body =
        "layout(binding = 0) buffer A { float16_t a[]; };\n"
        "layout(binding = 1) buffer B { float16_t b[]; };\n"
        "layout(binding = 2) buffer C { float16_t c[]; };\n"
        "layout(binding = 3) buffer D { float16_t d[]; };\n"
        "void main() {\nuint i = gl_GlobalInvocationID.x;\n"
        "float16_t x = a[i], y = b[i], z = c[i];\n";
    const auto at = [&](size_t o, size_t half) {
        return std::format("d[(i * {} + {}) * 2 + {}]", operations.size(), o, half);
    };
    for (size_t o = 0; o < operations.size(); ++o) {
        body += std::format("{} = {};\n", at(o, 0), operations[o].code);
    }
    body +=
        "{ uint j = i / 4 * 4;\n"
        "f16vec4 x = f16vec4(a[j], a[j + 1], a[j + 2], a[j + 3]);\n"
        "f16vec4 y = f16vec4(b[j], b[j + 1], b[j + 2], b[j + 3]);\n"
        "f16vec4 z = f16vec4(c[j], c[j + 1], c[j + 2], c[j + 3]);\n";
    for (size_t o = 0; o < operations.size(); ++o) {
        body += std::format("{{ f16vec4 r = {}; {} = r[i % 4]; }}\n", operations[o].code, at(o, 1));
    }
    return halfShader(body + "}\n}\n");
}

std::vector<uint64_t> runOn(const HalfOperands& in, std::span<const Operation> operations) {
    const Format& f16 = format("f16");
    Dispatch dispatch;
    dispatch.buffers = {packed(f16, in.a), packed(f16, in.b), packed(f16, in.c),
                        Bytes(kCount * operations.size() * 4)};
    dispatch.groups = {kCount / 64, 1, 1};
    return unpacked(f16, run(compileGlsl(sourceOf(operations)), dispatch)[3]);
}

void expectResults(const HalfOperands& in, std::span<const Operation> operations) {
    const std::vector<uint64_t> got = runOn(in, operations);
    size_t wrong = 0;
    for (size_t i = 0; i < kCount * operations.size() * 2 && wrong < 20; ++i) {
        const Operation& operation = operations[i / 2 % operations.size()];
        const size_t at = i / 2 / operations.size();
        const uint64_t want = halfBits(
            operation.value(halfValue(in.a[at]), halfValue(in.b[at]), halfValue(in.c[at])));
        if (halfUnitsBetween(got[i], want) <= operation.units) continue;
        ++wrong;
        ADD_FAILURE() << std::format("{} of {:#x}, {:#x}, {:#x} is {:#x}, not {:#x}",
                                     operation.code, in.a[at], in.b[at], in.c[at], got[i], want);
    }
}

TEST(HalfFloats, Arithmetic) {
    COOPVK_REQUIRE(Requirement::kEmulatedHalves);
    LayerLog::take();
    expectResults(halfOperands("HalfFloats", kCount), kOperations);
    EXPECT_NE(LayerLog::take().find("VK_KHR_shader_float16_int8"), std::string::npos);
}

TEST(HalfFloats, ArithmeticOfFiniteNumbers) {
    COOPVK_REQUIRE(Requirement::kEmulatedHalves);
    HalfOperands in = halfOperands("HalfFloatsFinite", kCount);
    for (auto* list : {&in.a, &in.b, &in.c}) {
        for (uint64_t& bits : *list) {
            if ((bits & 0x7C00) == 0x7C00) bits ^= 0x4000;
        }
    }
    expectResults(in, kOfFinite);
}

// Each result exactly, but for which NaN it is: with the mode, no sign of a zero may get lost.
// (Mesa 26.1 makes x - x zero, also of its own half floats.)
TEST(HalfFloats, SignedZeros) {
    COOPVK_REQUIRE(Requirement::kEmulatedHalves);
    constexpr Operation kOfZeros[] = {
        {"x + float16_t(0.0)", [](double x, double, double) { return x + 0.0; }},
        {"float16_t(0.0) - x", [](double x, double, double) { return 0.0 - x; }},
        {"x * float16_t(0.0)", [](double x, double, double) { return x * 0.0; }},
        {"x / x", [](double x, double, double) { return x / x; }},
        {"-(y - x)", [](double x, double y, double) { return -(y - x); }},
    };
    std::string body =
        "#extension GL_EXT_spirv_intrinsics : require\n"
        "spirv_execution_mode(extensions = [\"SPV_KHR_float_controls\"], capabilities = [4466],"
        " 4461, 16);\n"
        "layout(binding = 0) buffer A { float16_t a[]; };\n"
        "layout(binding = 1) buffer B { float16_t b[]; };\n"
        "layout(binding = 2) buffer D { float16_t d[]; };\n"
        "void main() {\nuint i = gl_GlobalInvocationID.x;\nfloat16_t x = a[i], y = b[i];\n";
    for (size_t o = 0; o < std::size(kOfZeros); ++o)
        body += std::format("d[i * {} + {}] = {};\n", std::size(kOfZeros), o, kOfZeros[o].code);
    const HalfOperands in = halfOperands("SignedZeros", kCount);
    const Format& f16 = format("f16");
    Dispatch dispatch;
    dispatch.buffers = {packed(f16, in.a), packed(f16, in.b),
                        Bytes(kCount * std::size(kOfZeros) * 2)};
    dispatch.groups = {kCount / 64, 1, 1};
    const auto got = unpacked(f16, run(compileGlsl(halfShader(body + "}\n")), dispatch)[2]);
    for (size_t i = 0; i < got.size(); ++i) {
        const size_t at = i / std::size(kOfZeros);
        const Operation& operation = kOfZeros[i % std::size(kOfZeros)];
        const double x = halfValue(in.a[at]), y = halfValue(in.b[at]);
        // Quotients may be a unit away.
        const uint64_t units = operation.code == "x / x" ? 1 : 0;
        const uint64_t want = halfBits(operation.value(x, y, 0));
        ASSERT_LE(halfUnitsBetween(got[i], want), units) << operation.code << " " << in.a[at];
        if (isHalfNan(want)) continue;
        ASSERT_EQ(got[i] & 0x8000, want & 0x8000)
            << std::format("{} of {:#x}, {:#x}", operation.code, in.a[at], in.b[at]);
    }
}

TEST(HalfFloats, Comparisons) {
    COOPVK_REQUIRE(Requirement::kEmulatedHalves);
    const HalfOperands in = halfOperands("HalfFloats", kCount);
    const Format &f16 = format("f16"), &u32 = format("u32");
    Dispatch dispatch;
    dispatch.buffers = {packed(f16, in.a), packed(f16, in.b), Bytes(kCount * 4)};
    dispatch.groups = {kCount / 64, 1, 1};
    const auto after = run(compileGlsl(halfShader(R"(
layout(binding = 0) buffer A { float16_t a[]; };
layout(binding = 1) buffer B { float16_t b[]; };
layout(binding = 2) buffer C { uint c[]; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    float16_t x = a[i], y = b[i];
    bvec2 less = lessThan(f16vec2(x, y), f16vec2(y, x));
    c[i] = uint(x == y) | uint(x != y) << 1 | uint(x < y) << 2 | uint(x <= y) << 3 |
           uint(x > y) << 4 | uint(x >= y) << 5 | uint(isnan(x)) << 6 | uint(isinf(x)) << 7 |
           uint(less.x) << 8 | uint(less.y) << 9 | uint(!(x < y)) << 10 |
           uint((x < y ? x : y) == x) << 11;
})")),
                           dispatch);
    const std::vector<uint64_t> got = unpacked(u32, after[2]);
    for (size_t i = 0; i < kCount; ++i) {
        const double x = halfValue(in.a[i]), y = halfValue(in.b[i]);
        const bool bits[] = {
            x == y, x != y,   x<y, x <= y, x> y,   x >= y, std::isnan(x), std::isinf(x), x < y,
            y < x,  !(x < y), (x < y ? x : y) == x};
        uint64_t want = 0;
        for (size_t b = 0; b < std::size(bits); ++b) want |= uint64_t{bits[b]} << b;
        ASSERT_EQ(got[i], want) << std::format("{:#x}, {:#x}", in.a[i], in.b[i]);
    }
}

// Reductions and scans of small integers are exact; instructions that move values keep their bits.
TEST(HalfFloats, Subgroups) {
    COOPVK_REQUIRE(Requirement::kEmulatedHalves);
    constexpr size_t kLanes = 64, kResults = 7;
    const Format& f16 = format("f16");
    std::vector<uint64_t> in;
    for (size_t i = 0; i < kLanes; ++i) in.push_back(halfBits(static_cast<double>(i * 7 % 5) - 2));
    Dispatch dispatch;
    dispatch.buffers = {packed(f16, in), Bytes(kLanes * kResults * 2), Bytes(4)};
    const auto after = run(compileGlsl(halfShader(R"(
layout(binding = 0) buffer A { float16_t a[]; };
layout(binding = 1) buffer B { float16_t b[]; };
layout(binding = 2) buffer C { uint size; };
void main() {
    uint i = gl_LocalInvocationIndex;
    float16_t x = a[i];
    size = gl_SubgroupSize;
    b[i * 7] = subgroupAdd(x);
    b[i * 7 + 1] = subgroupInclusiveAdd(x);
    b[i * 7 + 2] = subgroupMin(f16vec2(x, -x)).y;
    b[i * 7 + 3] = subgroupExclusiveMax(x);
    b[i * 7 + 4] = subgroupShuffleXor(x, 1);
    b[i * 7 + 5] = subgroupBroadcastFirst(x);
    b[i * 7 + 6] = subgroupAllEqual(x) ? float16_t(1.0) : subgroupMul(float16_t(2.0));
})")),
                           dispatch);
    const std::vector<uint64_t> got = unpacked(f16, after[1]);
    const uint64_t size = unpacked(format("u32"), after[2])[0];
    for (size_t i = 0; i < kLanes; ++i) {
        const size_t first = i / size * size;
        double sum = 0, scan = 0, most = -INFINITY, least = INFINITY;
        for (size_t k = first; k < first + size; ++k) {
            const double x = halfValue(in[k]);
            if (k < i) most = std::fmax(most, x);
            if (k <= i) scan += x;
            sum += x;
            least = std::fmin(least, -x);
        }
        const uint64_t want[] = {
            halfBits(sum), halfBits(scan), halfBits(least),          halfBits(most),
            in[i ^ 1],     in[first],      halfBits(std::exp2(size))};
        for (size_t r = 0; r < kResults; ++r) {
            EXPECT_EQ(halfUnitsBetween(got[i * kResults + r], want[r]), 0u) << i << " " << r;
        }
    }
}

}  // namespace
}  // namespace coopvk::test::half_arithmetic_test
