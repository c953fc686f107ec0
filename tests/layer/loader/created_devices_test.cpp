// SPDX-License-Identifier: Apache-2.0
//
// Devices through the layer, above the tests' driver.
#include <cstring>

#include "queries_fixture.hpp"

namespace coopvk::test::created_devices_test {
namespace {

using CreatedDevices = Queries;

// The driver's error reaches the application.
TEST_F(CreatedDevices, FailedDevices) {
    driver.makeInstance();
    const VkDeviceCreateInfo info = {VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO};
    VkDevice device = VK_NULL_HANDLE;
    testing::internal::CaptureStderr();
    for (const VkResult error : {VK_ERROR_INITIALIZATION_FAILED, VK_ERROR_OUT_OF_HOST_MEMORY,
                                 VK_ERROR_OUT_OF_DEVICE_MEMORY}) {
        driver.listing = error;
        EXPECT_EQ(driver.makeDevice(info, &device), error);
    }
    testing::internal::GetCapturedStderr();
    driver.listing = VK_SUCCESS;
    ASSERT_EQ(driver.makeDevice(info, &device), VK_SUCCESS);
    driver.destroyDevice(device);
}

TEST_F(CreatedDevices, DevicesAskForWhatTheEmulationNeeds) {
    driver.makeInstance();
    VkDevice device = driver.makeMatrixDevice();
    ASSERT_NE(device, nullptr);
    EXPECT_EQ(std::ranges::count(driver.device.extensions, kMatrixName), 0);
    EXPECT_FALSE(driver.device.features.contains(kMatrixType));
    EXPECT_TRUE(driver.device.features.contains(
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_MEMORY_MODEL_FEATURES));
    EXPECT_TRUE(driver.device.hasCoreFeatures);
    driver.destroyDevice(device);
    EXPECT_EQ(driver.destroyedDevices, 1u);
}

TEST_F(CreatedDevices, RefusedDevices) {
    setenv("COOPVK_EMULATE", kMatrixName, 1);
    makeNative();
    driver.extensions.push_back(VK_NV_COOPERATIVE_MATRIX_2_EXTENSION_NAME);
    driver.makeInstance();
    const char* name = VK_NV_COOPERATIVE_MATRIX_2_EXTENSION_NAME;
    VkDeviceCreateInfo info = {VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO};
    info.enabledExtensionCount = 1;
    info.ppEnabledExtensionNames = &name;
    VkDevice device = VK_NULL_HANDLE;
    testing::internal::CaptureStderr();
    EXPECT_EQ(driver.makeDevice(info, &device), VK_ERROR_EXTENSION_NOT_PRESENT);
    EXPECT_NE(testing::internal::GetCapturedStderr().find(name), std::string::npos);
    EXPECT_EQ(driver.createdDevices, 0u);
}

// On a device that emulates nothing the layer intercepts nothing.
TEST_F(CreatedDevices, UntouchedDevices) {
    makeNative();
    driver.makeInstance();
    VkDevice device = driver.makeMatrixDevice();
    EXPECT_EQ(std::ranges::count(driver.device.extensions, kMatrixName), 1);
    VkPhysicalDeviceFeatures none = {};
    EXPECT_EQ(std::memcmp(&driver.device.coreFeatures, &none, sizeof(none)), 0);
    const PFN_vkVoidFunction own = driver.deviceCommand(device, "vkCreateShaderModule");
    driver.destroyDevice(device);
    driver.destroyInstance();
    setenv("COOPVK_EMULATE", "all", 1);
    driver.makeInstance();
    device = driver.makeMatrixDevice();
    EXPECT_NE(driver.deviceCommand(device, "vkCreateShaderModule"), own);
    EXPECT_EQ(driver.deviceCommand(device, "vkCreateImage"), nullptr) << "the driver lacks it";
    EXPECT_EQ(driver.deviceCommand(device, "vkCmdDraw"), nullptr);
    driver.destroyDevice(device);
}

TEST_F(CreatedDevices, ManyDevices) {
    driver.makeInstance();
    std::vector<VkDevice> devices;
    for (int i = 0; i < 8; ++i) devices.push_back(driver.makeMatrixDevice());
    std::ranges::sort(devices);
    EXPECT_EQ(std::ranges::adjacent_find(devices), devices.end());
    for (VkDevice device : devices) driver.destroyDevice(device);
    EXPECT_EQ(driver.createdDevices, 8u);
    EXPECT_EQ(driver.destroyedDevices, 8u);
}

}  // namespace
}  // namespace coopvk::test::created_devices_test
