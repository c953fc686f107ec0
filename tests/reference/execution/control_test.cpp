// SPDX-License-Identifier: Apache-2.0
//
// Lanes that part and meet again.
#include <gtest/gtest.h>

#include "shader_text.hpp"

namespace coopvk::reference::test::control_test {
namespace {

std::vector<uint32_t> outputs(const ShaderText& text, uint32_t lanes = 8) {
    Execution r;
    r.lanes = lanes;
    r.buffers[0] = std::vector<uint32_t>(64);
    r.buffers[1] = std::vector<uint32_t>(text.localSize);
    execute(r, shader(text));
    EXPECT_EQ(r.error, "");
    for (const Report& report : r.reports) ADD_FAILURE() << describe(report);
    return r.buffers[1];
}

// if (i & 1) x = i + 10; else x = i * 2; and how many lanes meet after it.
TEST(ReferenceControl, SelectionMeets) {
    ShaderText text;
    text.localSize = 8;
    text.declarations = "%scope = OpConstant %u32 3\n";
    text.body =
        "%odd = OpBitwiseAnd %u32 %i %u_1\n%c = OpINotEqual %bool %odd %u_0\n"
        "OpSelectionMerge %m None\nOpBranchConditional %c %t %f\n"
        "%t = OpLabel\n%x1 = OpIAdd %u32 %i %u_10\nOpBranch %m\n"
        "%f = OpLabel\n%x2 = OpIMul %u32 %i %u_2\nOpBranch %m\n"
        "%m = OpLabel\n%x = OpPhi %u32 %x1 %t %x2 %f\n"
        "%count = OpGroupNonUniformIAdd %u32 %scope Reduce %u_1\n"
        "%hundred = OpIMul %u32 %count %u_16\n%r = OpIAdd %u32 %x %hundred\n" +
        storeWord("%i", "%r");
    const auto out = outputs(text);
    for (uint32_t i = 0; i < 8; ++i)
        EXPECT_EQ(out[i], ((i & 1) != 0 ? i + 10 : i * 2) + 8 * 16) << i;
}

// for (a = 1, b = 2, n = 0; n < i; ++n) swap(a, b): the phis change at once, and lanes keep their
// values when they leave before others.
TEST(ReferenceControl, LoopsOfDifferentLengths) {
    ShaderText text;
    text.localSize = 8;
    text.body =
        "OpBranch %h\n%h = OpLabel\n%a = OpPhi %u32 %u_1 %start %b %k\n"
        "%b = OpPhi %u32 %u_2 %start %a %k\n%n = OpPhi %u32 %u_0 %start %n1 %k\n"
        "%sq = OpIMul %u32 %n %n\n"
        "OpLoopMerge %m %k None\nOpBranch %test\n"
        "%test = OpLabel\n%c = OpULessThan %bool %n %i\nOpBranchConditional %c %k %m\n"
        "%k = OpLabel\n%n1 = OpIAdd %u32 %n %u_1\nOpBranch %h\n"
        "%m = OpLabel\n%a16 = OpIMul %u32 %a %u_16\n%r = OpIAdd %u32 %a16 %b\n"
        "%r2 = OpIMul %u32 %r %u_16\n%r3 = OpIMul %u32 %r2 %u_16\n%r4 = OpIAdd %u32 %r3 %sq\n" +
        storeWord("%i", "%r4");
    const auto out = outputs(text);
    for (uint32_t i = 0; i < 8; ++i)
        EXPECT_EQ(out[i], ((i & 1) != 0 ? 0x21u : 0x12u) * 256 + i * i) << i;
}

// switch (i) { case 0: x += 1; fallthrough; case 1: x += 2; break; case 7: x += 4; default: x += 8;
// }
TEST(ReferenceControl, SwitchFallsThrough) {
    ShaderText text;
    text.localSize = 8;
    text.body =
        "%x = OpVariable %p_function_u32 Function %u_16\n"
        "OpSelectionMerge %m None\nOpSwitch %i %d 0 %c0 1 %c1 7 %c7\n"
        "%c0 = OpLabel\n%x0 = OpLoad %u32 %x\n%y0 = OpIAdd %u32 %x0 %u_1\nOpStore %x %y0\n"
        "OpBranch %c1\n"
        "%c1 = OpLabel\n%x1 = OpLoad %u32 %x\n%y1 = OpIAdd %u32 %x1 %u_2\nOpStore %x %y1\n"
        "OpBranch %m\n"
        "%c7 = OpLabel\n%x7 = OpLoad %u32 %x\n%y7 = OpIAdd %u32 %x7 %u_4\nOpStore %x %y7\n"
        "OpBranch %d\n"
        "%d = OpLabel\n%xd = OpLoad %u32 %x\n%yd = OpIAdd %u32 %xd %u_8\nOpStore %x %yd\n"
        "OpBranch %m\n"
        "%m = OpLabel\n%r = OpLoad %u32 %x\n" +
        storeWord("%i", "%r");
    const auto out = outputs(text);
    const uint32_t expected[] = {19, 18, 24, 24, 24, 24, 24, 28};
    for (uint32_t i = 0; i < 8; ++i) EXPECT_EQ(out[i], expected[i]) << i;
}

// f(x) { if (x > 3) return x * 2; return x; }, called by some lanes only, and twice.
TEST(ReferenceControl, CallsReturnEarly) {
    ShaderText text;
    text.localSize = 8;
    text.declarations = "%f_type = OpTypeFunction %u32 %u32\n";
    text.functions =
        "%f = OpFunction %u32 None %f_type\n%p = OpFunctionParameter %u32\n"
        "%fs = OpLabel\n%large = OpUGreaterThan %bool %p %u_3\n"
        "OpSelectionMerge %fm None\nOpBranchConditional %large %ft %fm\n"
        "%ft = OpLabel\n%twice = OpIMul %u32 %p %u_2\nOpReturnValue %twice\n"
        "%fm = OpLabel\nOpReturnValue %p\nOpFunctionEnd\n";
    text.body =
        "%c = OpULessThan %bool %i %u_6\nOpSelectionMerge %m None\n"
        "OpBranchConditional %c %t %m\n%t = OpLabel\n%r1 = OpFunctionCall %u32 %f %i\n"
        "%r2 = OpFunctionCall %u32 %f %r1\nOpBranch %m\n"
        "%m = OpLabel\n%r = OpPhi %u32 %u_0 %start %r2 %t\n" +
        storeWord("%i", "%r");
    const auto out = outputs(text);
    const uint32_t expected[] = {0, 1, 2, 3, 16, 20, 0, 0};
    for (uint32_t i = 0; i < 8; ++i) EXPECT_EQ(out[i], expected[i]) << i;
}

// A loop in a loop with a break and a continue that depend on the lane:
// for (a = 0; a < 4; ++a) for (b = 0; b < 4; ++b) { if (b == i) break; if (b == 1) continue; ++x; }
TEST(ReferenceControl, BreakAndContinueInNestedLoops) {
    ShaderText text;
    text.localSize = 8;
    text.body =
        "%x = OpVariable %p_function_u32 Function %u_0\n"
        "OpBranch %ha\n%ha = OpLabel\n%a = OpPhi %u32 %u_0 %start %a1 %ka\n"
        "OpLoopMerge %ma %ka None\nOpBranch %ta\n"
        "%ta = OpLabel\n%ca = OpULessThan %bool %a %u_4\nOpBranchConditional %ca %ba %ma\n"
        "%ba = OpLabel\nOpBranch %hb\n"
        "%hb = OpLabel\n%b = OpPhi %u32 %u_0 %ba %b1 %kb\nOpLoopMerge %mb %kb None\n"
        "OpBranch %tb\n"
        "%tb = OpLabel\n%cb = OpULessThan %bool %b %u_4\nOpBranchConditional %cb %bb %mb\n"
        "%bb = OpLabel\n%e = OpIEqual %bool %b %i\nOpSelectionMerge %n1 None\n"
        "OpBranchConditional %e %br %n1\n%br = OpLabel\nOpBranch %mb\n"
        "%n1 = OpLabel\n%e1 = OpIEqual %bool %b %u_1\nOpSelectionMerge %n2 None\n"
        "OpBranchConditional %e1 %co %n2\n%co = OpLabel\nOpBranch %kb\n"
        "%n2 = OpLabel\n%x0 = OpLoad %u32 %x\n%x1 = OpIAdd %u32 %x0 %u_1\nOpStore %x %x1\n"
        "OpBranch %kb\n"
        "%kb = OpLabel\n%b1 = OpIAdd %u32 %b %u_1\nOpBranch %hb\n"
        "%mb = OpLabel\nOpBranch %ka\n"
        "%ka = OpLabel\n%a1 = OpIAdd %u32 %a %u_1\nOpBranch %ha\n"
        "%ma = OpLabel\n%r = OpLoad %u32 %x\n" +
        storeWord("%i", "%r");
    const auto out = outputs(text);
    for (uint32_t i = 0; i < 8; ++i) {
        uint32_t x = 0;
        for (uint32_t a = 0; a < 4; ++a) {
            for (uint32_t b = 0; b < 4; ++b) {
                if (b == i) break;
                if (b == 1) continue;
                ++x;
            }
        }
        EXPECT_EQ(out[i], x) << i;
    }
}

// if (i < 4) { if (i < 2) nothing; count of lanes here; }, in two subgroups of 4 lanes.
std::vector<uint32_t> countsBehind(Reconvergence reconvergence, const std::string& mode) {
    ShaderText text;
    text.localSize = 8;
    text.declarations = "%scope = OpConstant %u32 3\n";
    text.body =
        "%c = OpULessThan %bool %i %u_4\nOpSelectionMerge %m None\n"
        "OpBranchConditional %c %t %m\n%t = OpLabel\n"
        "%d = OpULessThan %bool %i %u_2\nOpSelectionMerge %n None\n"
        "OpBranchConditional %d %e %n\n%e = OpLabel\nOpBranch %n\n%n = OpLabel\n"
        "%count = OpGroupNonUniformIAdd %u32 %scope Reduce %u_1\n" +
        storeWord("%i", "%count") + "OpBranch %m\n%m = OpLabel\n";
    std::string module = shader(text);
    if (!mode.empty()) {
        module.insert(module.find("OpDecorate"), "OpExecutionMode %main " + mode + "\n");
        module.insert(module.find("%glsl"),
                      "OpExtension \"SPV_KHR_subgroup_uniform_control_flow\"\n"
                      "OpExtension \"SPV_KHR_maximal_reconvergence\"\n");
    }
    Execution r;
    r.settings.reconvergence = reconvergence;
    r.buffers[1] = std::vector<uint32_t>(8);
    execute(r, module);
    EXPECT_EQ(r.error, "");
    for (const Report& report : r.reports) ADD_FAILURE() << describe(report);
    return r.buffers[1];
}

TEST(ReferenceControl, LanesStayApartWhereNothingPromisesMore) {
    using enum Reconvergence;
    const std::vector<uint32_t> together = {4, 4, 4, 4, 0, 0, 0, 0},
                                apart = {2, 2, 2, 2, 0, 0, 0, 0};
    EXPECT_EQ(countsBehind(kMaximal, ""), together);
    EXPECT_EQ(countsBehind(kMinimal, ""), apart);
    const auto random = countsBehind(kRandom, "");
    EXPECT_TRUE(random == together || random == apart);
    for (const auto reconvergence : {kMinimal, kRandom})
        for (const char* mode : {"SubgroupUniformControlFlowKHR", "MaximallyReconvergesKHR"})
            EXPECT_EQ(countsBehind(reconvergence, mode), together) << mode;
}

}  // namespace
}  // namespace coopvk::reference::test::control_test
