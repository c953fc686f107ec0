// SPDX-License-Identifier: Apache-2.0
//
// VK_EXT_shader_ocp_microscaling_types: every number of each format is converted.
#include <gtest/gtest.h>

#include <cmath>
#include <format>

#include "harness/compute.hpp"
#include "harness/format.hpp"
#include "harness/microscaled.hpp"
#include "harness/random.hpp"

namespace coopvk::test::microscaling_conversion_test {
namespace {

struct Case {
    std::string_view from, to;
    bool saturates = false;
};

std::string nameOf(const Case& c) {
    return std::format("{}To{}{}", c.from, c.to, c.saturates ? "Saturated" : "");
}

void PrintTo(const Case& c, std::ostream* out) { *out << nameOf(c); }

std::vector<Case> allCases() {
    std::vector<Case> cases;
    for (const Microscaled& from : allMicroscaled()) {
        for (const std::string_view to : {"f16", "f32", "f64", "bf16", "e4m3", "e5m2"}) {
            cases.push_back({from.name, to});
            if (to.starts_with("e")) cases.push_back({from.name, to, true});
        }
    }
    return cases;
}

// Each invocation converts four numbers, from bytes in which the bits above the number vary: as a
// vector of four, as one of three and a scalar, as two of two.
std::string sourceOf(const Microscaled& from, const Format& to, bool saturates) {
    const auto convert = [&](std::string_view name, uint32_t components, std::string_view value) {
        const std::string type = to.vectorOf(components);
        return saturates
                   ? std::format("{} {}; saturatedConvertEXT({}, {});\n", type, name, name, value)
                   : std::format("{0} {1} = {0}({2});\n", type, name, value);
    };
    return microscalingHeader() +
           std::format(
               "layout(binding = 0) buffer A {{ u8vec4 a[]; }};\n"
               "layout(binding = 1) buffer B {{ {0} b[]; }};\n"
               "layout(binding = 2) buffer C {{ {0} c[]; }};\n"
               "layout(binding = 3) buffer D {{ {0} d[]; }};\n"
               "void main() {{\n"
               "uint i = gl_GlobalInvocationID.x * 4;\n"
               "{1} v = {2};\n"
               "{3}{4}{5}{6}{7}"
               "b[i] = four.x; b[i + 1] = four.y; b[i + 2] = four.z; b[i + 3] = four.w;\n"
               "c[i] = three.x; c[i + 1] = three.y; c[i + 2] = three.z; c[i + 3] = one;\n"
               "d[i] = low.x; d[i + 1] = low.y; d[i + 2] = high.x; d[i + 3] = high.y;\n"
               "}}\n",
               to.scalar, from.vectorOf(4), from.from("a[gl_GlobalInvocationID.x]", 0),
               convert("four", 4, "v"), convert("three", 3, "v.xyz"), convert("one", 1, "v.w"),
               convert("low", 2, "v.xy"), convert("high", 2, "v.zw"));
}

class MicroscalingConversions : public testing::TestWithParam<Case> {};

TEST_P(MicroscalingConversions, AreExact) {
    COOPVK_REQUIRE(Requirement::kMicroscaling);
    const Microscaled& from = microscaled(GetParam().from);
    const Format& to = format(GetParam().to);
    if (to.requirement) COOPVK_REQUIRE(*to.requirement);
    Bytes bytes(256);
    for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i);
    Rng rng("MicroscalingConversions");
    const Bytes poison = rng.bytes(bytes.size() * to.bytes);
    Dispatch dispatch;
    dispatch.buffers = {bytes, poison, poison, poison};
    const bool saturates = GetParam().saturates;
    const std::vector<Bytes> after = run(compileGlsl(sourceOf(from, to, saturates)), dispatch);
    size_t wrong = 0;
    for (size_t b = 1; b <= 3; ++b) {
        const std::vector<uint64_t> got = unpacked(to, after[b]);
        for (uint32_t i = 0; i < bytes.size() && wrong < 10; ++i) {
            const uint32_t pattern = i & ((1u << from.bits) - 1);
            // What the bits 0x80 of MXINT8 mean is undefined (Vulkan, "Precision and Operation of
            // SPIR-V Instructions").
            if (from.name == "mxint8" && pattern == 0x80) continue;
            const uint64_t want = nearest(to, from.valueOf(pattern), saturates);
            if (got[i] == want || (isNan(to, got[i]) && isNan(to, want))) continue;
            // Devices may flush denormals of these.
            const bool mayBeZero =
                (to.name == "f16" || to.name == "f32" || to.name == "bf16") &&
                std::fabs(valueOf(to, want)) < (to.name == "f16" ? 0x1p-14 : 0x1p-126);
            if (mayBeZero && (got[i] << 1 & ((uint64_t{1} << to.bits()) - 1)) == 0) continue;
            ++wrong;
            ADD_FAILURE() << std::format("buffer {}: {} {:#x} became {} {:#x}, not {:#x}", b,
                                         from.name, pattern, to.name, got[i], want);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(All, MicroscalingConversions, testing::ValuesIn(allCases()),
                         [](const auto& param) { return nameOf(param.param); });

}  // namespace
}  // namespace coopvk::test::microscaling_conversion_test
