// SPDX-License-Identifier: Apache-2.0
//
// VK_EXT_shader_long_vector: programs on vectors of 1 to 1,024 components of every type. The
// reference device, which has long vectors of its own, gives the expected values. Numbers are small
// integers, so that sums and products are exact in any order.
#include <gtest/gtest.h>

#include <cstring>

#include "harness/covering.hpp"
#include "harness/glsl.hpp"
#include "harness/random.hpp"
#include "harness/reference.hpp"
#include "harness/requirement.hpp"

namespace coopvk::test::long_vector_test {
namespace {

// `T`: the component type; `N`: the number of components; `V`: the vector. Each invocation `i` has
// x[i], y[i] and r[i], which are in buffers, and s[i], a uint. Shared memory has room for `S` + 1
// vectors.
struct LongProgram {
    const char* name;
    std::string (*isFor)(const ComponentInfo&);  // empty: it is for this type
    const char* declarations;
    const char* main;
    uint32_t least = 1;  // components
};

std::string forAll(const ComponentInfo&) { return {}; }
std::string forFloats(const ComponentInfo& type) { return type.isFloat() ? "" : "floats"; }
std::string forIntegers(const ComponentInfo& type) { return type.isFloat() ? "integers" : ""; }
std::string forSigned(const ComponentInfo& type) {
    return type.kind == Kind::kUnsigned ? "signed numbers" : "";
}
std::string forWords(const ComponentInfo& type) {
    return !type.isFloat() && type.bytes == 4 ? "" : "integers of 32 bits";
}
std::string forFloatBits(const ComponentInfo& type) {
    return type.isFloat() && type.bytes == 4 ? "" : "floats of 32 bits";
}
std::string forSingles(const ComponentInfo& type) { return type.bytes == 4 ? "" : "32 bits"; }

constexpr LongProgram kPrograms[] = {
    {"Arithmetic", forAll, "",
     "V a = x[i], b = y[i];\n"
     "a = (a + b) * a - b; a += b * T(3); a *= T(2); ++a; r[i] = -a;\n"},
    {"Comparisons", forAll, "",
     "V a = x[i], b = y[i];\n"
     "vector<bool, N> less = lessThan(a, b), same = equal(a, b);\n"
     "r[i] = mix(mix(a, b, less), a + b, notEqual(a, V(T(1))));\n"
     "s[i] = uint(any(less)) + 2 * uint(all(lessThanEqual(a, b))) + 4 * uint(any(same)) +\n"
     "  8 * uint(all(not(less))) + 16 * uint(a == b) + 32 * uint(a != b) +\n"
     "  64 * uint(any(greaterThan(a, b))) + 128 * uint(all(greaterThanEqual(b, a)));\n"},
    {"Select", forAll, "", "r[i] = i % 2 == 0 ? x[i] : y[i] + T(1);\n"},
    {"Loops", forAll, "",
     "V a = x[i], b = y[i];\n"
     "for (uint j = 0; j < 5; ++j) {\n"
     "  if (a[j % N] > T(3)) break;\n"
     "  V t = a; a = b; b = t + T(1);\n"
     "  if ((i + j) % 3 == 1) continue;\n"
     "  switch (j) { case 1: a += b; case 2: b = -b; break; default: a = min(a, b); }\n"
     "}\n"
     "uint k = 0; do { a -= T(1); } while (a[0] > T(2) && ++k < 4);\n"
     "r[i] = a + b;\n"},
    {"Functions", forAll,
     "V early(V a, T k, inout V b) {\n"
     "  if (k > T(1)) { b = b + k; return a + b; }\n"
     "  b = a; return a * k;\n}\n"
     "V twice(V a) { V b = a; return early(early(a, T(2), b), T(1), b) + b; }\n"
     "void put(out V a, const V b) { a = b; a[N / 2] = T(7); }\n",
     "V a; put(a, x[i]); r[i] = twice(a) + early(y[i], x[i][0], a) + a;\n"},
    {"Structures", forAll,
     "struct Part { T first; V v; V w[2]; };\n"
     "layout(set = 0, binding = 0, scalar) buffer Parts { Part parts[]; };\n"
     "Part changed(Part p) { p.v += p.first; p.w[1] = p.w[0]; p.w[0][0] = T(5); return p; }\n",
     "Part p = parts[0]; Part q = changed(p); p.w = q.w; p.w[i % 2] += q.v;\n"
     "Part all[2] = Part[2](p, q);\n"
     "r[i] = all[i % 2].v + all[0].w[0] + all[1].w[1] + parts[0].w[i % 2];\n"},
    {"Shared", forAll, "shared V all[S];\nshared struct { T p; V v; } one;\n",
     "if (i < S) all[i] = x[i];\n"
     "if (i == 0) one.v = y[0];\n"
     "barrier();\n"
     "V a = all[S - 1 - i % S] + one.v; barrier();\n"
     "if (i < S) { all[i][i % N] = T(9); a += all[i]; }\n"
     "r[i] = a;\n"},
    {"Indices", forAll, "",
     "V a = x[i], b; uint k = i % N;\n"
     "for (uint j = 0; j < N; ++j) b[j] = a[N - 1 - j];\n"
     "b[k] = T(6); a[0] = b[k]; r[i] = a + b; r[i][(k + 1) % N] = a[k]; s[i] = uint(r[i][0] > "
     "T(0));\n"
     "s[i] += a.length() * 2;\n"},
    {"Conversions", forAll, "",
     "vector<int, N> n = vector<int, N>(x[i]); vector<float, N> f = vector<float, N>(y[i]);\n"
     "vector<uint, N> u = vector<uint, N>(n + 8); vector<float16_t, N> h = vector<float16_t, "
     "N>(f);\n"
     "r[i] = V(n) + V(f) + V(u) + V(vector<int8_t, N>(n)) + V(h) + V(vector<bool, N>(n));\n"},
    {"Uniform", forAll,
     "layout(set = 0, binding = 5, scalar) uniform Uniforms { V both[2]; } u;\n"  // 16 KiB at most
     "layout(push_constant, scalar) uniform Push { T k; } push;\n",
     "r[i] = u.both[0] * push.k + u.both[i % 2];\n"},
    {"Private", forAll, "V a = V(T(3)); const V kThree = V(T(3)); V arrays[3];\n",
     "arrays[0] = x[i]; arrays[1] = a; arrays[2] = y[i] + kThree; a = arrays[i % 3];\n"
     "V zero = V(T(0)); r[i] = a + arrays[(i + 1) % 3] + zero;\n"},
    {"Specialised", forAll,
     "layout(constant_id = 1) const uint kCount = 3;\n"
     "vector<T, kCount> sum(vector<T, kCount> a) { return a + a; }\n",
     "vector<T, kCount> a = vector<T, kCount>(T(2)), b;\n"
     "for (uint j = 0; j < kCount; ++j) a[j] += x[i][j];\n"
     "b = sum(a); if (i % 2 == 1) b = b * a;\n"
     "for (uint j = 0; j < kCount; ++j) r[i][j] = b[j];\n"
     "s[i] = b.length();\n"},
    {"Bits", forIntegers, "",
     "V a = x[i], b = y[i];\n"
     "r[i] = ((a << 2) >> 1) ^ (b & V(T(5))) | ~(a & b); r[i] = ((r[i] & T(63)) % T(3)) / T(2);\n"},
    {"Words", forWords, "",
     "V a = x[i], b = y[i];\n"
     "r[i] = V(bitCount(a)) + V(findLSB(b)) + V(findMSB(a)) + bitfieldReverse(b) +\n"
     "  bitfieldExtract(a, 1, 3) + bitfieldInsert(a, b, 4, 5);\n"},
    {"Signs", forSigned, "", "r[i] = abs(x[i]) * sign(y[i]) + max(x[i], -y[i]);\n"},
    {"Common", forFloats, "",
     "V a = x[i] / T(2), b = y[i], whole;\n"
     "V part = modf(a, whole);\n"
     "r[i] = floor(a) + ceil(a) * T(2) + fract(a) + trunc(a) + abs(b) + sign(b) + part + whole +\n"
     "  max(a, b) + clamp(a, T(-1), T(1)) + step(b, a) + mix(a, b, T(0.5)) + fma(a, b, a);\n"
     "s[i] = uint(any(isnan(a / T(1)))) + 2 * uint(any(isinf(b)));\n"},
    {"Exponents", forFloats, "",
     "vector<int, N> e; V f = frexp(x[i], e);\n"
     "r[i] = ldexp(f, e + 1) + V(e) + f; r[i] += ldexp(y[i], vector<int, N>(2));\n",
     2},  // glslang takes the exponent of one component for a scalar
    {"FloatBits", forFloatBits, "",
     "vector<uint, N> a = floatBitsToUint(x[i]), b = floatBitsToUint(y[i]);\n"
     "r[i] = uintBitsToFloat(a ^ b ^ a) + intBitsToFloat(floatBitsToInt(x[i]));\n"},
    {"Pairs", forWords, "",
     "vector<uint, N> a = vector<uint, N>(x[i]) * 1000000007u, b = vector<uint, N>(y[i]), c, d;\n"
     "vector<uint, N> e = uaddCarry(a, ~b, c) + usubBorrow(b, a, d); e += c + d;\n"
     "umulExtended(a, ~b, c, d); e ^= c + d;\n"
     "vector<int, N> high, low;\n"
     "imulExtended(vector<int, N>(a), vector<int, N>(b) - 2, high, low);\n"
     "r[i] = V(e) + V(high ^ low);\n"},
    {"Constructors", forAll, "",
     "V a = x[i];\n"
     "vector<T, 5> f = vector<T, 5>(a[0], a[N / 2], a[N - 1], T(3), T(4));\n"
     "vector<T, 9> g = vector<T, 9>(f, y[i][0], vector<T, 2>(T(1)), T(2));\n"
     "vector<T, 9> h[2] = vector<T, 9>[2](g, g + g);\n"
     "r[i] = a; for (uint j = 0; j < 9; ++j) r[i][j % N] += h[(i + j) % 2][j];\n"},
    {"Atomics", forWords, "shared V sums;\n",
     "if (i == 0) sums = y[0];\n"
     "barrier(); atomicAdd(sums[i % N], T(3)); atomicMax(r[0][i % N], x[i][0]); barrier();\n"
     "s[i] = uint(sums[i % N]);\n"},
    {"Geometry", forFloats, "",
     "V a = x[i], b = y[i];\n"
     "T d = dot(a, b) / T(64);\n"
     "r[i] = faceforward(a, b, a) + d; if (dot(a, a) < T(0)) r[i] = V(T(0));\n"},
    {"Subgroup", forSingles,
     "#extension GL_KHR_shader_subgroup_arithmetic : require\n"
     "#extension GL_KHR_shader_subgroup_ballot : require\n"
     "#extension GL_KHR_shader_subgroup_shuffle : require\n"
     "#extension GL_KHR_shader_subgroup_vote : require\n",
     "V a = x[i];\n"
     "r[i] = subgroupAdd(a) + subgroupBroadcastFirst(a) + subgroupShuffleXor(a, 1);\n"
     "s[i] = uint(subgroupAllEqual(a)) + 2 * uint(subgroupAllEqual(V(T(1))));\n"},
};

constexpr uint32_t kCounts[] = {1, 2, 3, 5, 8, 16, 17, 33, 255, 1024};
constexpr uint32_t kUnrolled = 33;
constexpr Component kTypes[] = {Component::kF16, Component::kF32, Component::kF64, Component::kS8,
                                Component::kS16, Component::kS32, Component::kS64, Component::kU8,
                                Component::kU16, Component::kU32, Component::kU64};

struct LongCase {
    const LongProgram* program;
    Component type;
    uint32_t count;
    Variant variant;
};

std::string nameOf(const LongCase& c) {
    return std::string(c.program->name) + "_" + std::string(name(c.type)) + "x" +
           std::to_string(c.count) + "_" + std::string(nameOf(c.variant));
}

void PrintTo(const LongCase& c, std::ostream* out) { *out << nameOf(c); }

// Of the 32 KiB that devices have.
uint32_t sharedVectors(const LongCase& c) {
    constexpr uint32_t kSharedBytes = 32768;
    const uint32_t fitting = kSharedBytes / (c.count * info(c.type).bytes) - 2;
    return std::min(fitting, Context::get().subgroupSize);
}

std::string sourceOf(const LongCase& c) {
    std::string text = glsl::header() + "#extension GL_EXT_long_vector : require\n";
    text += "#define T " + std::string(info(c.type).glsl) +
            "\nconst uint N = " + std::to_string(c.count) +
            ", S = " + std::to_string(sharedVectors(c)) + ";\n#define V vector<T, N>\n";
    text += c.program->declarations;
    if (std::string_view(c.program->name) != "Structures") text += glsl::buffer(0, "x", "V");
    return text + glsl::buffer(1, "y", "V") + glsl::buffer(2, "r", "V") +
           glsl::buffer(3, "s", "uint") + "void main() {\n  uint i = gl_LocalInvocationID.x;\n" +
           c.program->main + "}\n";
}

Bytes numbers(Rng& rng, Component type, uint32_t count) {
    Bytes bytes(size_t{count} * info(type).bytes);
    for (uint32_t e = 0; e < count; ++e) {
        const int64_t value = rng.range(info(type).isSigned() || info(type).isFloat() ? -4 : 0, 4);
        const uint64_t bits = info(type).isFloat() ? fromDouble(type, static_cast<double>(value))
                                                   : static_cast<uint64_t>(value);
        std::memcpy(bytes.data() + size_t{e} * info(type).bytes, &bits, info(type).bytes);
    }
    return bytes;
}

class LongVectors : public testing::TestWithParam<LongCase> {};

TEST_P(LongVectors, MatchTheReference) {
    COOPVK_REQUIRE(Requirement::kLongVector);
    const LongCase& c = GetParam();
    if (const std::string why = missing(c.type); !why.empty()) GTEST_SKIP() << why;
    Rng rng(nameOf(c));
    const uint32_t vectors = std::max(Context::get().subgroupSize, 5u);
    const uint32_t count = vectors * c.count;
    Dispatch dispatch;
    dispatch.buffers = {numbers(rng, c.type, count + 8), numbers(rng, c.type, count),
                        rng.bytes(size_t{count} * info(c.type).bytes), rng.bytes(vectors * 4)};
    const Bytes push = numbers(rng, c.type, 4);
    dispatch.push.assign(push.begin(), push.end());
    PipelineOptions options;
    options.specialization = {{1, c.count, 4}};
    const Words words = compileGlsl(sourceOf(c), c.variant);
    expectAsReference(words, dispatch, options);
}

std::vector<LongCase> longCases() {
    std::vector<LongCase> all;
    for (const LongProgram& program : kPrograms) {
        for (const Component type : kTypes) {
            if (!program.isFor(info(type)).empty()) continue;
            for (const uint32_t count : kCounts) {
                if (count < program.least) continue;
                for (const Variant variant : {Variant::kPlain, Variant::kFast, Variant::kLoops}) {
                    // Optimisers unroll loops over all components.
                    if (variant != Variant::kPlain && count > kUnrolled) continue;
                    all.push_back({&program, type, count, variant});
                }
            }
        }
    }
    return covering(all, [](const LongCase& c) {
        return factors(c.program->name, name(c.type), c.count, nameOf(c.variant));
    });
}

INSTANTIATE_TEST_SUITE_P(All, LongVectors, testing::ValuesIn(longCases()),
                         [](const auto& param) { return nameOf(param.param); });

}  // namespace
}  // namespace coopvk::test::long_vector_test
