// SPDX-License-Identifier: Apache-2.0
//
// Intervals of numbers in shared memory.
#include <gtest/gtest.h>

#include "coopvk_reference/intervals.hpp"
#include "shader_text.hpp"

namespace coopvk::reference::test::shared_intervals_test {
namespace {

// Each workgroup reads a number that starts as 0, and leaves an exponential there, which devices
// may round. What one leaves is nothing of the next one's.
TEST(SharedIntervals, StartAnewInEachWorkgroup) {
    ShaderText text;
    text.localSize = 1;
    text.annotations = "OpDecorate %group BuiltIn WorkgroupId\n";
    text.declarations =
        "%p_group = OpTypePointer Input %v3u32\n%group = OpVariable %p_group Input\n"
        "%p_shared = OpTypePointer Workgroup %f32\n%null = OpConstantNull %f32\n"
        "%shared = OpVariable %p_shared Workgroup %null\n";
    text.body =
        "%ids = OpLoad %v3u32 %group\n%g = OpCompositeExtract %u32 %ids 0\n"
        "%before = OpLoad %f32 %shared\n%before_bits = OpBitcast %u32 %before\n" +
        storeWord("%g", "%before_bits") + loadWord("%x_bits", "%u_0") +
        "%x = OpBitcast %f32 %x_bits\n%y = OpExtInst %f32 %glsl Exp %x\n"
        "OpStore %shared %y\n%after = OpLoad %f32 %shared\n"
        "%after_bits = OpBitcast %u32 %after\n%behind = OpIAdd %u32 %g %u_2\n" +
        storeWord("%behind", "%after_bits");
    Intervals intervals(Functions::kAsAnywhere);
    Execution r;
    r.settings.intervals = &intervals;
    r.groups = {2, 1, 1};
    r.buffers = {{0, {bitsOf(1.5f)}}, {1, {7, 7, 7, 7}}};
    r.deviations = {{0, std::vector<uint32_t>(4)}, {1, std::vector<uint32_t>(16)}};
    execute(r, shader(text));
    EXPECT_EQ(r.error, "");
    for (const Report& report : r.reports) ADD_FAILURE() << describe(report);
    const auto intervalAt = [&](size_t word) {
        return intervalOf(r.deviations[1][word * 4], numbers::Number::f32, r.buffers[1][word]);
    };
    for (const size_t group : {0, 1}) {
        const Interval before = intervalAt(group), after = intervalAt(2 + group);
        EXPECT_TRUE(before.low == 0 && before.high == 0) << group;
        EXPECT_LT(after.low, after.high) << group;
    }
}

}  // namespace
}  // namespace coopvk::reference::test::shared_intervals_test
