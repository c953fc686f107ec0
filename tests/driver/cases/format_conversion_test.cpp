// SPDX-License-Identifier: Apache-2.0
//
// Conversions to and from bfloat16 and 8-bit floats (VK_KHR_shader_bfloat16,
// VK_EXT_shader_float8), for scalars and vectors.
#include <gtest/gtest.h>

#include <format>

#include "harness/compute.hpp"
#include "harness/format.hpp"
#include "harness/random.hpp"

namespace coopvk::test::format_conversion_test {
namespace {

struct Case {
    std::string_view from, to;
    bool saturates = false;
};

std::string nameOf(const Case& c) {
    return std::format("{}To{}{}", c.from, c.to, c.saturates ? "Saturated" : "");
}

std::string paramName(const testing::TestParamInfo<Case>& param) { return nameOf(param.param); }

void PrintTo(const Case& c, std::ostream* out) { *out << nameOf(c); }

std::vector<Case> allCases() {
    constexpr std::string_view kNew[] = {"bf16", "e4m3", "e5m2"};
    const auto isNew = [&](std::string_view name) {
        return std::ranges::find(kNew, name) != std::end(kNew);
    };
    std::vector<Case> cases;
    for (const Format& from : allFormats()) {
        for (const Format& to : allFormats()) {
            if (from.name == to.name || !(isNew(from.name) || isNew(to.name))) continue;
            cases.push_back({from.name, to.name});
            // GLSL has saturating conversions of floats only.
            const bool isSmall = to.isFloat() && to.bytes == 1;
            if (isSmall && from.isFloat() && from.bytes > 1) {
                cases.push_back({from.name, to.name, true});
            }
        }
    }
    return cases;
}

// Each invocation converts four numbers: as a vector of four, as one of three and a scalar, as two
// of two.
std::string sourceOf(const Format& from, const Format& to, bool saturates) {
    const auto convert = [&](std::string_view name, uint32_t components, std::string_view value) {
        const std::string type = to.vectorOf(components);
        return saturates
                   ? std::format("{} {}; saturatedConvertEXT({}, {});\n", type, name, name, value)
                   : std::format("{0} {1} = {0}({2});\n", type, name, value);
    };
    return std::format(
        "#version 460\n"
        "#extension GL_EXT_bfloat16 : require\n"
        "#extension GL_EXT_float_e4m3 : require\n"
        "#extension GL_EXT_float_e5m2 : require\n"
        "#extension GL_EXT_shader_explicit_arithmetic_types : require\n"
        "layout(local_size_x = 64) in;\n"
        "layout(binding = 0) buffer A {{ {0} a[]; }};\n"
        "layout(binding = 1) buffer B {{ {1} b[]; }};\n"
        "layout(binding = 2) buffer C {{ {1} c[]; }};\n"
        "layout(binding = 3) buffer D {{ {1} d[]; }};\n"
        "void main() {{\n"
        "uint i = gl_GlobalInvocationID.x * 4;\n"
        "{2} v = {2}(a[i], a[i + 1], a[i + 2], a[i + 3]);\n"
        "{3}{4}{5}{6}{7}"
        "b[i] = four.x; b[i + 1] = four.y; b[i + 2] = four.z; b[i + 3] = four.w;\n"
        "c[i] = three.x; c[i + 1] = three.y; c[i + 2] = three.z; c[i + 3] = one;\n"
        "d[i] = low.x; d[i + 1] = low.y; d[i + 2] = high.x; d[i + 3] = high.y;\n"
        "}}\n",
        from.scalar, to.scalar, from.vectorOf(4), convert("four", 4, "v"),
        convert("three", 3, "v.xyz"), convert("one", 1, "v.w"), convert("low", 2, "v.xy"),
        convert("high", 2, "v.zw"));
}

class FormatConversions : public testing::TestWithParam<Case> {};

TEST_P(FormatConversions, AreExact) {
    const Format& from = format(GetParam().from);
    const Format& to = format(GetParam().to);
    for (const Format* one : {&from, &to}) {
        if (one->requirement) COOPVK_REQUIRE(*one->requirement);
    }
    const bool saturates = GetParam().saturates;
    std::vector<uint64_t> values = inputs(from, to);
    // The result of a number outside of the integer's range is undefined.
    std::erase_if(values, [&](uint64_t v) { return !converted(to, from, v, saturates); });
    while (values.size() % 256 != 0) values.push_back(0);
    Rng rng("FormatConversions");
    const Bytes poison = rng.bytes(values.size() * to.bytes);
    Dispatch dispatch;
    dispatch.buffers = {packed(from, values), poison, poison, poison};
    dispatch.groups = {static_cast<uint32_t>(values.size() / 256), 1, 1};
    const std::vector<Bytes> after = run(compileGlsl(sourceOf(from, to, saturates)), dispatch);
    size_t wrong = 0;
    for (size_t b = 1; b <= 3; ++b) {
        const std::vector<uint64_t> got = unpacked(to, after[b]);
        for (size_t i = 0; i < values.size() && wrong < 10; ++i) {
            const auto want = converted(to, from, values[i], saturates);
            if (got[i] == *want || (isNan(to, got[i]) && isNan(to, *want))) continue;
            const uint64_t sign = uint64_t{1} << (to.bits() - 1);
            if (mayBeFlushed(to, from, values[i]) && (got[i] | sign) == sign) continue;
            ++wrong;
            ADD_FAILURE() << std::format("buffer {}: {} {:#x} became {} {:#x}, not {:#x}", b,
                                         from.name, values[i], to.name, got[i], *want);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(All, FormatConversions, testing::ValuesIn(allCases()), paramName);

}  // namespace
}  // namespace coopvk::test::format_conversion_test
