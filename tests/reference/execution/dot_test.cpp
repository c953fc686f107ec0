// SPDX-License-Identifier: Apache-2.0
//
// SPV_KHR_integer_dot_product: components of vectors, and of bytes packed in a word.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

#include "shader_text.hpp"

namespace coopvk::reference::test::dot_test {
namespace {

uint32_t resultOf(const std::string& body, uint32_t accumulator = 0) {
    ShaderText text;
    text.localSize = 1;
    text.capabilities =
        "OpCapability DotProductKHR\nOpCapability DotProductInputAllKHR\n"
        "OpCapability DotProductInput4x8BitPackedKHR\n"
        "OpExtension \"SPV_KHR_integer_dot_product\"\n";
    text.body = loadWord("%a", "%u_0") + loadWord("%b", "%u_1") + loadWord("%accumulator", "%u_2") +
                body + storeWord("%u_0", "%r");
    Execution run;
    // 1, -2, 3, -4 and 10, 20, -128, 127, from the lowest byte on
    run.buffers = {{0, {0xFC03FE01, 0x7F80140A, accumulator}}, {1, {0}}};
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
}

// The sum of a word's products with itself or another one, and an accumulator, in the numbers that
// the result can be.
TEST(ReferenceDots, Saturate) {
    const int64_t ownSum = 1 + 4 + 9 + 16, unsignedOwn = 1 + 254 * 254 + 9 + 252 * 252,
                  mixedOwn = 1 - 2 * 254 + 9 - 4 * 252, sum = 1 * 10 - 2 * 20 - 3 * 128 - 4 * 127,
                  unsignedSum = 1 * 10 + 254 * 20 + 3 * 128 + 252 * 127,
                  mixedSum = 1 * 10 - 2 * 20 + 3 * 128 - 4 * 127;
    const auto expectIn = [](const std::string& opcode, const std::string& b, int64_t products,
                             bool isSigned) {
        for (const uint32_t bits : {0u, 1000u, 0x7FFFFFF0u, 0x7FFFFFFFu, 0x80000000u, 0x80000010u,
                                    0xFFFFFFF0u, 0xFFFFFFFFu}) {
            const int64_t accumulator = isSigned ? int64_t{int32_t(bits)} : int64_t{bits};
            const int64_t least = isSigned ? INT32_MIN : 0,
                          most = isSigned ? INT32_MAX : UINT32_MAX;
            EXPECT_EQ(resultOf("%r = Op" + opcode + "DotAccSatKHR %u32 %a " + b +
                                   " %accumulator PackedVectorFormat4x8Bit\n",
                               bits),
                      uint32_t(std::clamp(products + accumulator, least, most)))
                << opcode << b << bits;
        }
    };
    expectIn("S", "%b", sum, true);
    expectIn("S", "%a", ownSum, true);
    expectIn("U", "%b", unsignedSum, false);
    expectIn("U", "%a", unsignedOwn, false);
    expectIn("SU", "%b", mixedSum, true);
    expectIn("SU", "%a", mixedOwn, true);
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
