// SPDX-License-Identifier: Apache-2.0
//
// Conversions to and from half floats on a device without shaderFloat16. Those to and from bfloat16
// and 8-bit floats are among the tests of these formats.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <format>

#include "harness/assembly.hpp"
#include "harness/halves.hpp"
#include "harness/random.hpp"

namespace coopvk::test::half_conversion_test {
namespace {

// For each pattern of 16 bits.
TEST(HalfFloats, AllPatternsToOtherTypes) {
    COOPVK_REQUIRE(Requirement::kEmulatedHalves);
    COOPVK_REQUIRE(Requirement::kFloat64);
    COOPVK_REQUIRE(Requirement::kInt64);
    constexpr std::string_view kTypes[] = {"f32", "f64", "s8",  "s16", "s32",
                                           "s64", "u8",  "u16", "u32", "u64"};
    constexpr uint64_t kCount = 1u << 16;
    const Format& f16 = format("f16");
    std::vector<uint64_t> values(kCount);
    for (uint64_t i = 0; i < kCount; ++i) values[i] = i;
    std::string body =
        "layout(binding = 0) buffer A { float16_t a[]; };\n"
        "layout(binding = 1) buffer B { uvec2 b[]; };\n"
        "void main() {\nuint i = gl_GlobalInvocationID.x; float16_t x = a[i];\n"
        "b[i * 10] = uvec2(floatBitsToUint(float(x)), 0);\n"
        "b[i * 10 + 1] = unpackDouble2x32(double(x));\n";
    for (size_t t = 2; t < std::size(kTypes); ++t) {
        const Format& to = format(kTypes[t]);
        const std::string_view wide = to.kind == Kind::kSigned ? "int64_t" : "uint64_t";
        body += std::format("b[i * 10 + {}] = unpackUint2x32(uint64_t({}({}(x))));\n", t, wide,
                            to.scalar);
    }
    Dispatch dispatch;
    dispatch.buffers = {packed(f16, values), Bytes(kCount * 80)};
    dispatch.groups = {kCount / 64, 1, 1};
    const auto after = run(compileGlsl(halfShader(body + "}\n")), dispatch);
    const std::vector<uint64_t> got = unpacked(format("u64"), after[1]);
    size_t wrong = 0;
    for (size_t i = 0; i < got.size() && wrong < 20; ++i) {
        const Format& to = format(kTypes[i % 10]);
        const auto want = converted(to, f16, i / 10);
        const uint64_t bits = to.bits() == 64 ? got[i] : got[i] & ((uint64_t{1} << to.bits()) - 1);
        if (!want || bits == *want || (to.isFloat() && isNan(to, bits) && isNan(to, *want))) {
            continue;
        }
        ++wrong;
        ADD_FAILURE() << std::format("{:#x} became {} {:#x}, not {:#x}", i / 10, to.name, bits,
                                     *want);
    }
}

// Each half float, the values halfway between two, and the neighbours of these; integers.
TEST(HalfFloats, OtherTypesRoundToNearestEven) {
    COOPVK_REQUIRE(Requirement::kEmulatedHalves);
    COOPVK_REQUIRE(Requirement::kFloat64);
    COOPVK_REQUIRE(Requirement::kInt64);
    const Format& f16 = format("f16");
    std::vector<uint64_t> singles = inputs(format("f32"), f16);
    std::vector<uint64_t> doubles = inputs(format("f64"), f16);
    const size_t count = (std::max(singles.size(), doubles.size()) + 63) / 64 * 64;
    singles.resize(count);
    doubles.resize(count);
    std::vector<uint64_t> integers;
    Rng rng("HalfFloatsIntegers");
    for (size_t i = 0; i < count; ++i) integers.push_back(rng.next() >> (rng.next() % 64));
    std::string body =
        "layout(binding = 0) buffer A { float a[]; };\n"
        "layout(binding = 1) buffer B { double b[]; };\n"
        "layout(binding = 2) buffer C { uint64_t c[]; };\n"
        "layout(binding = 3) buffer D { float16_t d[]; };\n"
        "void main() {\nuint i = gl_GlobalInvocationID.x;\n"
        "d[i * 10] = float16_t(a[i]); d[i * 10 + 1] = float16_t(b[i]);\n";
    constexpr std::string_view kTypes[] = {"f32", "f64", "s8",  "s16", "s32",
                                           "s64", "u8",  "u16", "u32", "u64"};
    for (size_t t = 2; t < std::size(kTypes); ++t) {
        body += std::format("d[i * 10 + {}] = float16_t({}(c[i]));\n", t, format(kTypes[t]).scalar);
    }
    Dispatch dispatch;
    dispatch.buffers = {packed(format("f32"), singles), packed(format("f64"), doubles),
                        packed(format("u64"), integers), Bytes(count * 20)};
    dispatch.groups = {static_cast<uint32_t>(count / 64), 1, 1};
    const std::vector<uint64_t> got =
        unpacked(f16, run(compileGlsl(halfShader(body + "}\n")), dispatch)[3]);
    size_t wrong = 0;
    for (size_t i = 0; i < got.size() && wrong < 20; ++i) {
        const Format& from = format(kTypes[i % 10]);
        uint64_t bits = i % 10 == 0   ? singles[i / 10]
                        : i % 10 == 1 ? doubles[i / 10]
                                      : integers[i / 10];
        if (from.bits() < 64) bits &= (uint64_t{1} << from.bits()) - 1;
        const auto want = converted(f16, from, bits);
        if (!want || halfUnitsBetween(got[i], *want) == 0) continue;
        ++wrong;
        ADD_FAILURE() << std::format("{} {:#x} became {:#x}, not {:#x}", from.name, bits, got[i],
                                     *want);
    }
}

// The number of the format that is nearest to zero on the way from the value's nearest one.
uint64_t towardZero(const Format& to, double value) {
    uint64_t bits = nearest(to, value);
    if (std::isfinite(value) && std::fabs(valueOf(to, bits)) > std::fabs(value)) --bits;
    return bits;
}

// FPRoundingMode RTZ of conversions that are stored.
TEST(HalfFloats, ConversionsTowardZero) {
    COOPVK_REQUIRE(Requirement::kEmulatedHalves);
    COOPVK_REQUIRE(Requirement::kBfloat16);
    const Format& f32 = format("f32");
    std::vector<uint64_t> values = inputs(f32, format("f16"));
    const std::vector<uint64_t> more = inputs(f32, format("bf16"));
    values.insert(values.end(), more.begin(), more.end());
    const uint32_t size = Context::get().subgroupSize;
    const uint32_t row = 64 * size;  // of workgroups
    values.resize((values.size() + row - 1) / row * row);
    Assembly assembly;
    assembly.buffers = {{"single", "f32", 4}, {"half", "f16", 2}, {"brain", "bf16", 2}};
    assembly.decorations = "OpDecorate %x FPRoundingMode RTZ\nOpDecorate %y FPRoundingMode RTZ\n";
    assembly.body = std::format(
        "%l = OpLoad %u32 %lane\n%g = OpLoad %u32x3 %group\n"
        "%gx = OpCompositeExtract %u32 %g 0\n%gy = OpCompositeExtract %u32 %g 1\n"
        "%above = OpIMul %u32 %gy %c_64\n%number = OpIAdd %u32 %above %gx\n"
        "%base = OpIMul %u32 %number %c_{}\n%i = OpIAdd %u32 %base %l\n"
        "%at = OpAccessChain %sb_f32 %single %c_0 %i\n%v = OpLoad %f32 %at\n"
        "%x = OpFConvert %f16 %v\n%y = OpFConvert %bf16 %v\n"
        "%to_x = OpAccessChain %sb_f16 %half %c_0 %i\nOpStore %to_x %x\n"
        "%to_y = OpAccessChain %sb_bf16 %brain %c_0 %i\nOpStore %to_y %y\n",
        size);
    Dispatch dispatch;
    dispatch.buffers = {packed(f32, values), Bytes(values.size() * 2), Bytes(values.size() * 2)};
    dispatch.groups = {64, static_cast<uint32_t>(values.size() / row), 1};
    const auto after = run(assemble(assembly), dispatch);
    for (const auto& [name, buffer] : {std::pair("f16", 1), std::pair("bf16", 2)}) {
        const Format& to = format(name);
        const std::vector<uint64_t> got = unpacked(to, after[buffer]);
        size_t wrong = 0;
        for (size_t i = 0; i < values.size() && wrong < 10; ++i) {
            const double value = valueOf(f32, values[i]);
            const uint64_t want = towardZero(to, value);
            if (got[i] == want || (isNan(to, got[i]) && isNan(to, want))) continue;
            ++wrong;
            ADD_FAILURE() << std::format("{:#x} became {} {:#x}, not {:#x}", values[i], name,
                                         got[i], want);
        }
    }
}

}  // namespace
}  // namespace coopvk::test::half_conversion_test
