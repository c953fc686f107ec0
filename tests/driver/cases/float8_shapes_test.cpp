// SPDX-License-Identifier: Apache-2.0
//
// Which shapes programs with matrices of 8-bit floats find.
#include <gtest/gtest.h>

#include <algorithm>

#include "harness/context.hpp"

namespace coopvk::test::float8_shapes_test {
namespace {

// vkd3d-proton takes matrices of 8-bit floats only from devices that have this one, too.
TEST(Advertised, HalvesBesideFloat8) {
    const auto& shapes = Context::get().shapes;
    const auto isFloat8 = [](const VkCooperativeMatrixPropertiesKHR& shape) {
        return shape.AType == VK_COMPONENT_TYPE_FLOAT8_E4M3_EXT;
    };
    const auto isHalves = [](const VkCooperativeMatrixPropertiesKHR& shape) {
        return shape.MSize == 16 && shape.NSize == 16 && shape.KSize == 16 &&
               shape.AType == VK_COMPONENT_TYPE_FLOAT16_KHR &&
               shape.BType == VK_COMPONENT_TYPE_FLOAT16_KHR &&
               shape.CType == VK_COMPONENT_TYPE_FLOAT32_KHR;
    };
    EXPECT_TRUE(std::ranges::any_of(shapes, isHalves) || std::ranges::none_of(shapes, isFloat8));
}

}  // namespace
}  // namespace coopvk::test::float8_shapes_test
