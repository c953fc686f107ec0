// SPDX-License-Identifier: Apache-2.0
//
// Commands that only matrix conversions have an interest in are the driver's own on every device
// that has no conversions.
#include <gtest/gtest.h>

#include "fake_driver.hpp"

namespace coopvk::test {
namespace {

VkDevice makeDevice(FakeDriver& driver, const char* extension) {
    VkDeviceCreateInfo info = {VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO};
    if (extension != nullptr) {
        info.enabledExtensionCount = 1;
        info.ppEnabledExtensionNames = &extension;
    }
    VkDevice device = VK_NULL_HANDLE;
    EXPECT_EQ(driver.makeDevice(info, &device), VK_SUCCESS);
    return device;
}

TEST(ConversionCommands, InNobodysWay) {
    FakeDriver driver;
    driver.makeInstance();
    const VkDevice plain = makeDevice(driver, nullptr);
    const auto own = driver.deviceCommand(plain, "vkCmdBindPipeline");
    ASSERT_NE(own, nullptr);
    EXPECT_EQ(driver.deviceCommand(plain, "vkCmdConvertCooperativeVectorMatrixNV"), nullptr);
    driver.destroyDevice(plain);

    const VkDevice matrices = makeDevice(driver, VK_KHR_COOPERATIVE_MATRIX_EXTENSION_NAME);
    EXPECT_EQ(driver.deviceCommand(matrices, "vkCmdBindPipeline"), own);
    EXPECT_EQ(driver.deviceCommand(matrices, "vkConvertCooperativeVectorMatrixNV"), nullptr);
    driver.destroyDevice(matrices);

    const VkDevice vectors = makeDevice(driver, VK_NV_COOPERATIVE_VECTOR_EXTENSION_NAME);
    EXPECT_NE(driver.deviceCommand(vectors, "vkCmdBindPipeline"), own);
    EXPECT_NE(driver.deviceCommand(vectors, "vkConvertCooperativeVectorMatrixNV"), nullptr);
    EXPECT_NE(driver.deviceCommand(vectors, "vkCmdConvertCooperativeVectorMatrixNV"), nullptr);
    // What the driver has not, the layer does not make up.
    EXPECT_EQ(driver.deviceCommand(vectors, "vkCmdPipelineBarrier2"), nullptr);
    driver.destroyDevice(vectors);
    driver.destroyInstance();
}

}  // namespace
}  // namespace coopvk::test
