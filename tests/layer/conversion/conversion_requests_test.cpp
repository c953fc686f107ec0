// SPDX-License-Identifier: Apache-2.0
//
// Which matrix conversions are valid, as VkConvertCooperativeVectorMatrixInfoNV has it.
#include <gtest/gtest.h>

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
