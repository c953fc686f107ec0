// SPDX-License-Identifier: Apache-2.0
//
// Counting in assembly of each driver: small programs, whose instructions are counted by hand.
#include "code.hpp"

#include <gtest/gtest.h>

namespace coopvk::fleet {
namespace {

HotCode hotOf(const char* representation, const char* text) {
    const Dialect* dialect = dialectOf(representation);
    EXPECT_NE(dialect, nullptr) << representation;
    return countHotCode(dialect->read(text), dialect->rows);
}

void expectCounts(const HotCode& hot, const Counts& want) {
    EXPECT_EQ(hot.counts.vector, want.vector);
    EXPECT_EQ(hot.counts.multiplyAddInstructions, want.multiplyAddInstructions);
    EXPECT_EQ(hot.counts.multiplyAdds, want.multiplyAdds);
    EXPECT_EQ(hot.counts.conversions, want.conversions);
}

TEST(FleetCode, Amd) {
    // The loop is entered in its middle; code before and after it does not count.
    const HotCode hot = hotOf("Assembly",
                              "BB0:\n"
                              "\tv_fma_f32 v1, v2, v3, v4          ; d54b0001 04120702\n"
                              "\ts_branch BB2                      ; bf820003\n"
                              "BB1:\n"
                              "\tv_fma_mix_f32 v1, v2, v3, v4      ; cc200001 04120702\n"
                              "\tv_pk_fma_f16 v1, v2, v3, v4       ; cc0e0001 1c120702\n"
                              "\tv_dot2_f32_f16 v1, v2, v3, v4\n"
                              "\tv_dot4_i32_i8 v1, v2, v3, v4\n"
                              "\tv_cvt_f32_f16_e32 v1, v2\n"
                              "\tv_add_u32_e32 v1, v2, v3\n"
                              "\tds_read_b128 v[0:3], v4\n"
                              "\ts_add_u32 s0, s0, 1\n"
                              "BB2:\n"
                              "\ts_cmp_lt_u32 s0, s1\n"
                              "\ts_cbranch_scc1 BB1                ; bf85fff0\n"
                              "BB3:\n"
                              "\tv_fma_f32 v1, v2, v3, v4\n"
                              "\ts_endpgm\n");
    EXPECT_TRUE(hot.isLoop);
    expectCounts(hot, {6, 4, 1 + 2 + 2 + 4, 1});
    EXPECT_NEAR(hot.counts.useful(), 100.0 * 4 / 6, 1e-9);
    EXPECT_NEAR(hot.counts.perInstruction(), 9.0 / 6, 1e-9);
}

TEST(FleetCode, AmdPairs) {
    // Two multiply-adds that are issued as one instruction.
    const HotCode hot =
        hotOf("Assembly", "BB0:\n\tv_dual_fmac_f32 v0, v1, v2 :: v_dual_fmac_f32 v3, v4, v5\n");
    EXPECT_FALSE(hot.isLoop);
    expectCounts(hot, {1, 1, 2, 0});
}

TEST(FleetCode, Adreno) {
    const HotCode hot = hotOf("IR3 Assembly",
                              "Native code for unnamed CL shader (null):\n"
                              "; num_ubos: 0\n"
                              "@in(r0.x)\tin0 (wrmask=0x7)\n"
                              "mov.u32u32 r0.x, 0\n"
                              "l3:\n"
                              "(ss)(rpt1)mad.f32 r1.x, r2.x, (r)r3.x, (r)(last)r1.x\n"
                              "cov.f16f32 r4.x, hr0.x\n"
                              "dp4acc.mixed.unpacked r1.x, r2.x, r3.x, r1.x\n"
                              "(nop1) add.u r0.x, r0.x, 1\n"
                              "ldl.u32 r3.x, l[r0.x], 1\n"
                              "(rpt2)nop\n"
                              "br !p0.x, #l12\n"
                              "jump #l3\n"
                              "l12:\n"
                              "end\n");
    EXPECT_TRUE(hot.isLoop);
    expectCounts(hot, {5, 3, 2 + 4, 1});
}

TEST(FleetCode, Nvidia) {
    const HotCode hot = hotOf("NAK assembly",
                              "block.u 0 L0 [] -> {\n"
                              "      r0        = mov rZ            // delay=1\n"
                              "} -> [1]\n"
                              "block.u 1 L1 [0, 1] -> {\n"
                              "      r1        = ffma r2 r3 r1     // delay=1\n"
                              "      r4        = hfma2 r5 r6 r4    // delay=1\n"
                              "      ur1       = imad ur2 ur3 ur1  // delay=1\n"
                              "      r7        = f2f.f32.f16 r8    // delay=1\n"
                              "      r9        = ld.shared.b32 [r1]// delay=1\n"
                              "@!p0  bra pT L1                      // delay=1\n"
                              "} -> [1, 2]\n"
                              "block.u 2 L2 [1] -> {\n"
                              "                  exit              // delay=1\n"
                              "} -> []\n");
    EXPECT_TRUE(hot.isLoop);
    expectCounts(hot, {3, 2, 3, 1});
}

TEST(FleetCode, Apple) {
    // The text contains a preamble, too; jumps have distances in bytes.
    const HotCode hot = hotOf("printed",
                              "shader: MESA_SHADER_COMPUTE\n"
                              "   0: 9a0d02c21400             ffma     r9, r9, r9, r9\n"
                              "   6: 8800                     stop\n"
                              "\n"
                              "   0: 7e05             mov      r1, 0\n"
                              "   2: baf153100878020d ffma     $r28, r105h, $r32h, r28\n"
                              "   a: 9a0d02c21400     iadd     r0, r1, r2\n"
                              "  10: 9a0d02c21400     lload    r0, r1\n"
                              "  16: 00c0aaa5ffff     jmp_any  -20\n"
                              "  1c: 8800             stop\n");
    EXPECT_TRUE(hot.isLoop);
    expectCounts(hot, {2, 1, 1, 0});
}

TEST(FleetCode, InnermostLoop) {
    // Around the product there is a loop with an index computation; beside it one without products.
    const HotCode hot = hotOf("Assembly",
                              "BB1:\n\tv_mad_u32_u24 v0, v1, v2, v3\n"
                              "BB2:\n\tv_add_u32 v0, v1, v2\n\ts_cbranch_scc1 BB2\n"
                              "BB3:\n"
                              "\tv_dot4_i32_i8 v0, v1, v2, v3\n"
                              "\tv_dot4_i32_i8 v0, v1, v2, v3\n"
                              "\tv_dot4_i32_i8 v0, v1, v2, v3\n"
                              "\ts_cbranch_scc1 BB3\n"
                              "BB4:\n\ts_cbranch_scc1 BB1\n");
    EXPECT_TRUE(hot.isLoop);
    expectCounts(hot, {3, 3, 12, 0});
}

TEST(FleetCode, OtherTextsAreNoAssembly) { EXPECT_EQ(dialectOf("NIR Shader(s)"), nullptr); }

}  // namespace
}  // namespace coopvk::fleet
