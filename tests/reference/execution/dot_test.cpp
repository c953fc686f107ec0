// SPDX-License-Identifier: Apache-2.0
//
// SPV_KHR_integer_dot_product: components of vectors, and of bytes packed in a word.
#include <gtest/gtest.h>

#include "shader_text.hpp"

namespace coopvk::reference::test::dot_test {
namespace {

uint32_t resultOf(const std::string& body) {
    ShaderText text;
    text.localSize = 1;
    text.capabilities =
        "OpCapability DotProductKHR\nOpCapability DotProductInputAllKHR\n"
        "OpCapability DotProductInput4x8BitPackedKHR\n"
        "OpExtension \"SPV_KHR_integer_dot_product\"\n";
    text.body = loadWord("%a", "%u_0") + loadWord("%b", "%u_1") + body + storeWord("%u_0", "%r");
    Execution run;
    // 1, -2, 3, -4 and 10, 20, -128, 127, from the lowest byte on
    run.buffers = {{0, {0xFC03FE01, 0x7F80140A}}, {1, {0}}};
    execute(run, shader(text));
    EXPECT_EQ(run.error, "");
    return run.buffers[1][0];
}

TEST(ReferenceDots, OfPackedBytes) {
    const std::string packed = " %a %b PackedVectorFormat4x8Bit\n";
    EXPECT_EQ(resultOf("%r = OpSDotKHR %u32" + packed),
              uint32_t(1 * 10 - 2 * 20 - 3 * 128 - 4 * 127));
    EXPECT_EQ(resultOf("%r = OpUDotKHR %u32" + packed),
              uint32_t(1 * 10 + 254 * 20 + 3 * 128 + 252 * 127));
    EXPECT_EQ(resultOf("%r = OpSUDotKHR %u32" + packed),
              uint32_t(1 * 10 - 2 * 20 + 3 * 128 - 4 * 127));
    // 1000 is added to the same.
    const std::string thousand = "%m = OpIMul %u32 %u_10 %u_10\n%t = OpIMul %u32 %m %u_10\n%r = ",
                      added = " %u32 %a %b %t PackedVectorFormat4x8Bit\n";
    EXPECT_EQ(resultOf(thousand + "OpSDotAccSatKHR" + added),
              uint32_t(1000 + 1 * 10 - 2 * 20 - 3 * 128 - 4 * 127));
    EXPECT_EQ(resultOf(thousand + "OpUDotAccSatKHR" + added),
              uint32_t(1000 + 1 * 10 + 254 * 20 + 3 * 128 + 252 * 127));
    EXPECT_EQ(resultOf(thousand + "OpSUDotAccSatKHR" + added),
              uint32_t(1000 + 1 * 10 - 2 * 20 + 3 * 128 - 4 * 127));
    EXPECT_EQ(resultOf("%z = OpISub %u32 %u_1 %u_1\n"
                       "%r = OpUDotAccSatKHR %u32 %z %b %z PackedVectorFormat4x8Bit\n"),
              0u);
    EXPECT_EQ(resultOf("%most = OpNot %u32 %u_1\n"
                       "%r = OpUDotAccSatKHR %u32 %a %b %most PackedVectorFormat4x8Bit\n"),
              UINT32_MAX);
}

// The values behind the vectors are no components of them.
TEST(ReferenceDots, OfVectors) {
    const std::string vectors =
        "%x = OpCompositeConstruct %v2u32 %u_3 %u_5\n%behind_x = OpIAdd %u32 %u_7 %u_7\n"
        "%y = OpCompositeConstruct %v2u32 %u_7 %u_11\n%behind_y = OpIAdd %u32 %u_9 %u_9\n";
    EXPECT_EQ(resultOf(vectors + "%r = OpUDotKHR %u32 %x %y\n"), 3u * 7 + 5 * 11);
    EXPECT_EQ(resultOf(vectors + "%r = OpUDotAccSatKHR %u32 %x %y %u_2\n"), 3u * 7 + 5 * 11 + 2);
}

}  // namespace
}  // namespace coopvk::reference::test::dot_test
