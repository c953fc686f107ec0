// SPDX-License-Identifier: Apache-2.0
//
// The instructions of VK_VALVE_shader_mixed_float_dot_product. Small integers have exact results;
// other numbers are those of any order and precision that the specification leaves open.
#include <gtest/gtest.h>

#include <format>

#include "coopvk_reference/intervals.hpp"
#include "harness/assembly.hpp"
#include "harness/compute.hpp"
#include "harness/format.hpp"
#include "harness/layer_log.hpp"
#include "harness/random.hpp"

namespace coopvk::test::mixed_dot_instructions_test {
namespace {

struct DotCase {
    std::string_view opcode;      // without "Op" and "VALVE"
    std::string_view factor;      // format
    std::string_view sum;         // format
    std::string_view capability;  // without "DotProduct" and "VALVE"

    uint32_t count() const { return format(factor).bytes == 1 ? 4 : 2; }
};

constexpr DotCase kCases[] = {{"FDot2MixAcc32", "f16", "f32", "Float16AccFloat32"},
                              {"FDot2MixAcc16", "f16", "f16", "Float16AccFloat16"},
                              {"FDot2MixAcc32", "bf16", "f32", "BFloat16Acc"},
                              {"FDot2MixAcc16", "bf16", "bf16", "BFloat16Acc"},
                              {"FDot4MixAcc32", "e4m3", "f32", "Float8AccFloat32"},
                              {"FDot4MixAcc32", "e5m2", "f32", "Float8AccFloat32"}};

std::string nameOf(const DotCase& c) { return std::format("{}_{}", c.opcode, c.factor); }

void PrintTo(const DotCase& c, std::ostream* out) { *out << nameOf(c); }

Words shaderOf(const DotCase& c) {
    const std::string vector = std::format("{}x{}", c.factor, c.count());
    const std::string sum(c.sum);
    Assembly assembly;
    const uint32_t sumBytes = format(c.sum).bytes;
    assembly.buffers = {
        {"a", vector, 4}, {"b", vector, 4}, {"c", sum, sumBytes}, {"d", sum, sumBytes}};
    assembly.capabilities = {std::format("DotProduct{}VALVE", c.capability)};
    assembly.extensions = {"SPV_VALVE_mixed_float_dot_product"};
    const auto load = [](std::string_view name, std::string_view type) {
        return std::format(
            "%at_{0} = OpAccessChain %sb_{1} %{0} %c_0 %i\n%value_{0} = OpLoad %{1} %at_{0}\n",
            name, type);
    };
    assembly.body =
        "%in_group = OpLoad %u32 %lane\n%ids = OpLoad %u32x3 %group\n"
        "%number = OpCompositeExtract %u32 %ids 0\n"
        "%first = OpIMul %u32 %number %workgroup_width\n"
        "%i = OpIAdd %u32 %first %in_group\n" +
        load("a", vector) + load("b", vector) + load("c", sum) +
        std::format(
            "%dot = Op{}VALVE %{} %value_a %value_b %value_c\n"
            "%at_d = OpAccessChain %sb_{} %d %c_0 %i\nOpStore %at_d %dot\n",
            c.opcode, sum, sum);
    return assemble(assembly);
}

class MixedDotInstructions : public testing::TestWithParam<DotCase> {};

TEST_P(MixedDotInstructions, AreWithinTheErrorOfAnyOrder) {
    COOPVK_REQUIRE(Requirement::kMixedDots);
    const DotCase& c = GetParam();
    const Format &factor = format(c.factor), &sum = format(c.sum);
    for (const Format* one : {&factor, &sum}) {
        if (one->requirement) COOPVK_REQUIRE(*one->requirement);
    }
    Rng rng(nameOf(c));
    const uint32_t groups = 32, count = groups * Context::get().subgroupSize;
    const auto value = [&](size_t i, size_t all) {
        return i < all / 2 ? static_cast<double>(rng.range(-5, 5)) : rng.unit() * 4 - 2;
    };
    std::vector<uint64_t> a, b, addends;
    for (size_t i = 0; i < size_t{count} * c.count(); ++i) {
        a.push_back(nearest(factor, value(i, size_t{count} * c.count())));
        b.push_back(nearest(factor, value(i, size_t{count} * c.count())));
    }
    for (size_t i = 0; i < count; ++i) addends.push_back(nearest(sum, value(i, count)));
    Dispatch dispatch;
    dispatch.buffers = {packed(factor, a), packed(factor, b), packed(sum, addends),
                        rng.bytes(size_t{count} * sum.bytes)};
    dispatch.groups = {groups, 1, 1};
    LayerLog::take();
    const std::vector<uint64_t> got = unpacked(sum, run(shaderOf(c), dispatch)[3]);
    for (size_t i = 0; i < count; ++i) {
        reference::SumBounds permitted(sum.number);
        permitted.add(reference::Interval::of(valueOf(sum, addends[i])));
        for (size_t k = i * c.count(); k < (i + 1) * c.count(); ++k)
            permitted.addProduct(valueOf(factor, a[k]), valueOf(factor, b[k]));
        const reference::Interval interval = permitted.result();
        EXPECT_TRUE(interval.contains(valueOf(sum, got[i])))
            << i << ": " << valueOf(sum, got[i]) << ", not from " << interval.low << " to "
            << interval.high;
    }
    if (Context::get().emulated) {
        EXPECT_NE(LayerLog::take().find("VK_VALVE_shader_mixed_float_dot_product"),
                  std::string::npos);
    }
}

INSTANTIATE_TEST_SUITE_P(All, MixedDotInstructions, testing::ValuesIn(kCases),
                         [](const auto& param) { return nameOf(param.param); });

}  // namespace
}  // namespace coopvk::test::mixed_dot_instructions_test
