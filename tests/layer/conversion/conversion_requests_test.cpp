// SPDX-License-Identifier: Apache-2.0
//
// Which matrix conversions are valid, as VkConvertCooperativeVectorMatrixInfoNV has it.
#include <gtest/gtest.h>

#include "conversion/conversion_kernel.hpp"
#include "fakes/recorded_conversions.hpp"

namespace coopvk::test::conversion_requests_test {
namespace {

constexpr auto kTraining = VK_COOPERATIVE_VECTOR_MATRIX_LAYOUT_TRAINING_OPTIMAL_NV;

// Integers of 8 bits are copied; coopvk reports no others.
TEST_F(Conversions, Integers) {
    info.srcComponentType = info.dstComponentType = VK_COMPONENT_TYPE_SINT8_KHR;
    EXPECT_EQ(convert(), VK_SUCCESS);
    info.srcComponentType = info.dstComponentType = VK_COMPONENT_TYPE_SINT16_KHR;
    EXPECT_EQ(convert(), VK_ERROR_UNKNOWN);
}

// "float32 and float16 convert to and from every floating-point type of less precision": neither
// integers, nor floats of the same size.
TEST_F(Conversions, TypesThatConvert) {
    const auto converts = [&](VkComponentTypeKHR from, VkComponentTypeKHR to) {
        info.srcComponentType = from;
        info.dstComponentType = to;
        info.srcStride = info.dstStride = 16;
        return convert() == VK_SUCCESS;
    };
    constexpr auto kSingle = VK_COMPONENT_TYPE_FLOAT32_KHR, kHalf = VK_COMPONENT_TYPE_FLOAT16_KHR,
                   kByte = VK_COMPONENT_TYPE_SINT8_KHR, kE4m3 = VK_COMPONENT_TYPE_FLOAT8_E4M3_EXT,
                   kE5m2 = VK_COMPONENT_TYPE_FLOAT8_E5M2_EXT;
    EXPECT_TRUE(converts(kSingle, kHalf) && converts(kHalf, kSingle));
    EXPECT_TRUE(converts(kHalf, kE4m3) && converts(kE5m2, kHalf));
    EXPECT_TRUE(converts(kE5m2, kE5m2) && converts(kByte, kByte));
    EXPECT_FALSE(converts(kHalf, kByte) || converts(kByte, kSingle));
    EXPECT_FALSE(converts(kE4m3, kE5m2) || converts(kE5m2, kE4m3));
    EXPECT_FALSE(converts(kByte, VK_COMPONENT_TYPE_UINT8_KHR));
}

// Whole words of less than 4 GiB.
TEST_F(Conversions, SizesOnADevice) {
    layer::MatrixConversion conversion;
    const auto fits = [&](uint64_t from, uint64_t to) {
        conversion.source.placement.size = from;
        conversion.target.placement.size = to;
        return layer::ConversionKernel::checkLimits(conversion).empty();
    };
    constexpr uint64_t kMost = (uint64_t{1} << 32) - 4;
    EXPECT_TRUE(fits(kMost, kMost));
    EXPECT_FALSE(fits(kMost + 1, 4));
    EXPECT_FALSE(fits(4, kMost + 1));
}

TEST_F(Conversions, LayoutsThatExist) {
    info.dstComponentType = VK_COMPONENT_TYPE_FLOAT16_KHR;
    info.dstLayout = kTraining;
    info.dstData.hostAddress = nullptr;  // asks for the size
    EXPECT_EQ(convert(), VK_SUCCESS);
    EXPECT_GE(size, 2u * 4 * 2) << "two rows of four halves";
    info.dstLayout = static_cast<VkCooperativeVectorMatrixLayoutNV>(kTraining + 1);
    EXPECT_EQ(convert(), VK_ERROR_UNKNOWN);
}

// dstStride must be no less than a row, also if there is no other row.
TEST_F(Conversions, TheStrideOfOneRow) {
    info.numRows = 1;
    info.dstStride = 12;
    EXPECT_EQ(convert(), VK_ERROR_UNKNOWN);
    info.dstStride = 16;
    EXPECT_EQ(convert(), VK_SUCCESS);
}

TEST_F(Conversions, NoRows) {
    info.numRows = 0;
    info.srcStride = info.dstStride = 0;
    EXPECT_EQ(convert(), VK_SUCCESS);
    EXPECT_EQ(target[0], 0);
}

}  // namespace
}  // namespace coopvk::test::conversion_requests_test
