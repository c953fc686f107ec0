// SPDX-License-Identifier: Apache-2.0
//
// Values of bfloat16 and 8-bit floats in all kinds of memory, composites and control flow: every
// value keeps its bits.
#include <gtest/gtest.h>

#include <format>

#include "harness/compute.hpp"
#include "harness/format.hpp"
#include "harness/layer_log.hpp"
#include "harness/random.hpp"
#include "harness/reference.hpp"

namespace coopvk::test::format_value_test {
namespace {

class FormatValues : public testing::TestWithParam<std::string_view> {
 protected:
    void SetUp() override { COOPVK_REQUIRE(*type().requirement); }
    static const Format& type() { return format(GetParam()); }
    // GLSL between types and their bits: "bfloat16BitsToUintEXT".
    static std::string toBits() { return stem() + "BitsToUintEXT"; }
    static std::string fromBits() {
        std::string name = stem();
        name[0] = static_cast<char>(name[0] - 'a' + 'A');
        if (name == "Bfloat16") name = "BFloat16";
        return "uintBitsTo" + name + "EXT";
    }
    static std::string unsignedOf(uint32_t components) {
        return format(type().bytes == 1 ? "u8" : "u16").vectorOf(components);
    }
    static std::string header() {
        return "#version 460\n"
               "#extension GL_EXT_bfloat16 : require\n"
               "#extension GL_EXT_float_e4m3 : require\n"
               "#extension GL_EXT_float_e5m2 : require\n"
               "#extension GL_EXT_shader_explicit_arithmetic_types : require\n"
               "#extension GL_EXT_buffer_reference : require\n"
               "#extension GL_EXT_scalar_block_layout : require\n"
               "layout(local_size_x = 64) in;\n";
    }
    // ${T} is the scalar type, ${V2} to ${V4} its vectors, ${U} an unsigned integer of the same
    // size, ${UV4} a vector of it, ${FROM} and ${TO} GLSL's bit casts.
    static Words compile(std::string_view text) {
        return compileGlsl(header() + substitute(text, {{"T", type().vectorOf(1)},
                                                        {"V2", type().vectorOf(2)},
                                                        {"V3", type().vectorOf(3)},
                                                        {"V4", type().vectorOf(4)},
                                                        {"U", unsignedOf(1)},
                                                        {"UV4", unsignedOf(4)},
                                                        {"FROM", fromBits()},
                                                        {"TO", toBits()}}));
    }
    static std::vector<uint64_t> randomBits(size_t count) {
        Rng rng(GetParam());
        std::vector<uint64_t> values(count);
        for (uint64_t& value : values) value = wrap(rng.next(), type().bits());
        return values;
    }
    static Bytes poison(size_t bytes) { return Rng("FormatValues").bytes(bytes); }
    static void expectRewritten() {
        if (!Context::get().emulated) return;
        const std::string log = LayerLog::take();
        EXPECT_NE(log.find(type().bytes == 1 ? "VK_EXT_shader_float8" : "VK_KHR_shader_bfloat16"),
                  log.npos);
    }

 private:
    static std::string stem() {
        const std::string scalar(type().scalar);
        return scalar.substr(0, scalar.size() - 2);
    }
};

// All 2^8 or 2^16 patterns, NaN among them, through vectors and back.
TEST_P(FormatValues, BitCastsKeepAllBits) {
    std::vector<uint64_t> values;
    for (uint64_t bits = 0; bits >> type().bits() == 0; ++bits) values.push_back(bits);
    Dispatch dispatch;
    dispatch.buffers = {packed(type(), values), poison(values.size() * type().bytes)};
    dispatch.groups = {static_cast<uint32_t>((values.size() + 255) / 256), 1, 1};
    LayerLog::take();
    const Words words = compile(R"(
layout(binding = 0) buffer A { ${UV4} a[]; };
layout(binding = 1) buffer B { ${V4} b[]; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    ${V4} v = ${FROM}(a[i]);
    b[i] = ${FROM}(${TO}(${V4}(v.wzy, v.x))).wzyx;
})");
    expectAsReference(words, dispatch);
    expectRewritten();
}

TEST_P(FormatValues, MemoryOfAllKinds) {
    const std::vector<uint64_t> values = randomBits(64 * 4);
    const std::vector<uint64_t> pushed = randomBits(4);
    Dispatch dispatch;
    dispatch.buffers = {packed(type(), values), poison(64 * 16 * type().bytes),
                        packed(type(), values)};
    dispatch.addresses = {2};
    dispatch.push = packed(type(), pushed);
    expectAsReference(compile(R"(
struct Inner { ${T} one; ${V3} three; };
layout(scalar, binding = 0) buffer A { ${V4} a[]; };
layout(scalar, binding = 1) buffer B { ${V4} b[]; };
layout(scalar, binding = 5) uniform D { ${T} uniforms[256]; };
layout(buffer_reference, scalar) buffer R { ${V2} pairs[]; };
layout(push_constant, scalar) uniform Push { R r; ${T} first; ${V3} rest; };
shared ${T} s[256];
Inner global[4];
${T} pick(${V4} v, uint i) { return v[i]; }
${V4} turned(in ${V4} v) { return v.yzwx; }
void main() {
    uint i = gl_LocalInvocationIndex;
    for (uint k = 0; k < 4; ++k) s[i * 4 + k] = pick(a[i], k);
    barrier();
    uint j = 63 - i;
    ${V4} v = ${V4}(s[j * 4], s[j * 4 + 1], s[j * 4 + 2], s[j * 4 + 3]);
    b[i * 4] = turned(v);
    global[i % 4] = Inner(uniforms[i * 4], ${V3}(uniforms[i * 4 + 1], uniforms[i * 4 + 2],
                                                 uniforms[i * 4 + 3]));
    Inner copy = global[i % 4];
    b[i * 4 + 1] = ${V4}(copy.three, copy.one);
    b[i * 4 + 2] = ${V4}(r.pairs[i * 2 + 1], r.pairs[i * 2]);
    b[i * 4 + 3] = i % 2 == 0 ? ${V4}(first, rest) : v;
    b[i * 4 + 3][i % 3] = a[i][3];
})"),
                      dispatch);
}

TEST_P(FormatValues, ControlFlowAndConstants) {
    const std::vector<uint64_t> values = randomBits(64);
    Dispatch dispatch;
    dispatch.buffers = {packed(type(), values), poison(64 * type().bytes)};
    expectAsReference(compile(R"(
layout(binding = 0) buffer A { ${T} a[]; };
layout(binding = 1) buffer B { ${T} b[]; };
const ${T} kTable[3] = { ${T}(1.0), ${T}(-1.5), ${T}(0.25) };
void main() {
    uint i = gl_LocalInvocationIndex;
    ${T} x = a[i];
    for (uint k = 0; k < i % 5; ++k) x = k == 3 ? a[0] : x;
    if (i % 7 == 0) x = kTable[(i / 7) % 3];
    b[i] = x;
})"),
                      dispatch);
}

INSTANTIATE_TEST_SUITE_P(All, FormatValues, testing::Values("bf16", "e4m3", "e5m2"),
                         [](const auto& param) { return std::string(param.param); });

// GLSL has specialization constants of bfloat16 only.
TEST(BFloat16, SpecializationConstants) {
    COOPVK_REQUIRE(Requirement::kBfloat16);
    const Words words = compileGlsl(
        "#version 460\n#extension GL_EXT_bfloat16 : require\n"
        "layout(local_size_x = 1) in;\n"
        "layout(constant_id = 1) const bfloat16_t one = bfloat16_t(1.0);\n"
        "layout(constant_id = 2) const bfloat16_t other = bfloat16_t(2.0);\n"
        "layout(binding = 0) buffer B { float b[]; };\n"
        "void main() { b[0] = float(one); b[1] = float(other); }\n");
    PipelineOptions options;
    options.specialization = {{1, 0xC0A0, 2}};  // -5
    Dispatch dispatch;
    dispatch.buffers = {Bytes(8)};
    const auto after = run(words, dispatch, options);
    EXPECT_EQ(after[0], toBytes({-5.0f, 2.0f}));
}

// The result is a sum in any order, each step rounded in any direction. For small integers it is
// exact.
TEST(BFloat16, DotProducts) {
    COOPVK_REQUIRE(Requirement::kBfloat16);
    const Format& bf16 = format("bf16");
    constexpr size_t kCount = 1024;
    Rng rng("BFloat16");
    std::vector<uint64_t> a, b;
    for (size_t i = 0; i < kCount * 4; ++i) {
        const bool isInteger = i < kCount * 2;
        const auto value = [&] {
            return isInteger ? static_cast<double>(rng.range(-5, 5)) : rng.unit() * 4 - 2;
        };
        a.push_back(nearest(bf16, value()));
        b.push_back(nearest(bf16, value()));
    }
    const Words words = compileGlsl(
        "#version 460\n#extension GL_EXT_bfloat16 : require\n"
        "layout(local_size_x = 64) in;\n"
        "layout(binding = 0) buffer A { bf16vec4 a[]; };\n"
        "layout(binding = 1) buffer B { bf16vec4 b[]; };\n"
        "layout(binding = 2) buffer C { bfloat16_t c[]; };\n"
        "void main() {\n"
        "    uint i = gl_GlobalInvocationID.x;\n"
        "    c[i * 3] = dot(a[i].xy, b[i].xy);\n"
        "    c[i * 3 + 1] = dot(a[i].xyz, b[i].xyz);\n"
        "    c[i * 3 + 2] = dot(a[i], b[i]);\n"
        "}\n");
    Dispatch dispatch;
    dispatch.buffers = {packed(bf16, a), packed(bf16, b), rng.bytes(kCount * 3 * 2)};
    dispatch.groups = {kCount / 64, 1, 1};
    const std::vector<uint64_t> got = unpacked(bf16, run(words, dispatch)[2]);
    for (size_t i = 0; i < kCount; ++i) {
        reference::SumBounds permitted(bf16.number);
        for (size_t k = 0; k < 4; ++k) {
            permitted.addProduct(valueOf(bf16, a[i * 4 + k]), valueOf(bf16, b[i * 4 + k]));
            if (k == 0) continue;
            const reference::Interval interval = permitted.result();
            const double value = valueOf(bf16, got[i * 3 + k - 1]);
            EXPECT_TRUE(interval.contains(value)) << i << " " << k << ": " << value << ", not from "
                                                  << interval.low << " to " << interval.high;
        }
    }
}

}  // namespace
}  // namespace coopvk::test::format_value_test
